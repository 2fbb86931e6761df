"""Coverage of the curriculum."""

import pytest

from grader.bank.coverage import CurriculumItem, coverage, read_curriculum
from grader.domain.question import Question
from grader.errors import InputError
from grader.settings import shipped_bank


def question(question_id, *source):
    signal = {"id": "s", "statement": "x", "weight": 1, "kind": "positive"}
    return Question.model_validate(
        {"id": question_id, "topic": "t", "prompt": "p", "signals": [signal], "source": source}
    )


def test_an_item_lists_every_question_that_names_it():
    items = [CurriculumItem(n, f"item {n}", ("talk",)) for n in (1, 2, 3)]
    found = coverage(items, [question("a", 1, 3), question("b", 3)])
    assert [c.questions for c in found] == [("a",), (), ("a", "b")]


def test_the_shipped_curriculum_numbers_139_items():
    items = read_curriculum(shipped_bank() / "curriculum.tsv")
    assert [item.number for item in items] == list(range(1, 140))
    assert all(item.title and item.kinds for item in items)


@pytest.mark.parametrize("text", [None, "number\ttitle\n1\tx\n", "number\ttitle\tkinds\nx\ty\tz\n"])
def test_a_curriculum_that_cannot_be_read_is_bad_input(tmp_path, text):
    path = tmp_path / "curriculum.tsv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError):
        read_curriculum(path)
