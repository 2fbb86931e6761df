"""Interview sets."""

import pytest

from grader.bank.interview_set import InterviewSet, load_sets, set_faults
from grader.bank.lint import lint_folder
from grader.bank.load import load_bank, question_paths
from grader.domain.question import Question
from grader.errors import RubricError
from grader.settings import shipped_bank

FIELDS = {
    "id": "loop", "title": "T", "minutes": 30, "role": "engineer", "level": "senior",
    "questions": ["a", "b"],
}  # fmt: skip


def question(question_id, minutes):
    signal = {"id": "s", "statement": "x", "weight": 1, "kind": "positive"}
    return Question.model_validate(
        {"id": question_id, "topic": "t", "prompt": "p", "signals": [signal], "minutes": minutes}
    )


@pytest.mark.parametrize(
    ("minutes", "questions", "words"),
    [
        ((15, 15), ["a", "b"], None),
        ((15, 10), ["a", "b"], None),
        ((15, 16), ["a", "b"], "take 31 minutes"),
        ((10, 10), ["a", "b"], "take 20 minutes"),
        ((15, 15), ["a", "c"], "no question 'c'"),
        ((15, 15), ["a", "a"], "'a' stands twice"),
    ],
)
def test_a_set_fits_its_length_and_names_questions_of_the_bank(minutes, questions, words):
    bank = {i: question(i, m) for i, m in zip("ab", minutes, strict=True)}
    faults = set_faults(InterviewSet.model_validate(FIELDS | {"questions": questions}), bank)
    assert (not faults) if words is None else any(words in fault for fault in faults)


def test_the_shipped_sets_cover_every_length_and_hold():
    sets = load_sets(shipped_bank())
    questions = {f.question.id: f.question for f in load_bank(shipped_bank())}
    assert {s.minutes for s in sets} == {30, 45, 60}
    assert len({s.role for s in sets}) >= 3
    assert [fault for s in sets for fault in set_faults(s, questions)] == []


def test_a_set_is_no_question_and_a_broken_one_is_a_finding(tmp_path):
    (tmp_path / "sets").mkdir()
    path = tmp_path / "sets" / "loop.yaml"
    path.write_text("id: loop\nminutes: 31\n")
    assert question_paths(tmp_path) == []
    with pytest.raises(RubricError, match="loop"):
        load_sets(tmp_path)
    assert [f.rule for f in lint_folder(tmp_path)] == ["format"]
