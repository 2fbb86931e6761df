"""Banks side by side."""

import pytest

from grader.bank.interview_set import load_sets
from grader.bank.load import find_question, load_bank
from grader.bank.namespace import namespace_of
from grader.errors import RubricError
from tests.bank.test_load import MINIMAL


@pytest.fixture
def banks(tmp_path):
    for name in ("ours", "theirs"):
        (tmp_path / name / "sets").mkdir(parents=True)
        (tmp_path / name / "a.yaml").write_text(MINIMAL)
    (tmp_path / "theirs" / "bank.yaml").write_text("namespace: acme\ntitle: Acme's questions\n")
    (tmp_path / "theirs" / "sets" / "s.yaml").write_text(
        "{id: s, title: T, minutes: 30, role: r, level: mid, questions: [a, b]}\n"
    )
    return tmp_path / "ours", tmp_path / "theirs"


def test_equal_ids_are_told_apart_by_the_namespace(banks):
    assert [file.question.id for file in load_bank(*banks)] == ["a", "acme:a"]
    assert find_question("acme:a", *banks).id == "acme:a"
    assert find_question("a", *banks).id == "a"


def test_sets_name_questions_as_the_bank_lists_them(banks):
    (interview,) = load_sets(banks[1], namespace_of(banks[1]))
    assert (interview.id, interview.questions) == ("acme:s", ("acme:a", "acme:b"))


def test_two_banks_without_a_namespace_may_not_share_an_id(banks):
    (banks[1] / "bank.yaml").unlink()
    with pytest.raises(RubricError, match="already used by"):
        load_bank(*banks)


@pytest.mark.parametrize("text", ["namespace: 'two words'", "name: x", "- x", "namespace: a:b"])
def test_a_bank_file_that_is_not_legal_names_itself(banks, text):
    (banks[1] / "bank.yaml").write_text(text)
    with pytest.raises(RubricError, match="bank"):
        load_bank(*banks)
