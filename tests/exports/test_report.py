"""What a report takes from results and grades, and what it leaves behind."""

import pytest
from hypothesis import given

from grader.domain.grade import Grade
from grader.domain.question import Question
from grader.domain.verdict import Evidence, Verdict
from grader.domain.verdict import Outcome as SignalOutcome
from grader.exercises.result import Reveal
from grader.exports.report import (
    Standing,
    printable,
    report_not_graded,
    report_of_answer,
    report_of_code,
)
from sandbox.outcome import Outcome
from tests.exports.reports import NASTY, result_of

WHOLE = (Outcome.PASSED, Outcome.FAILED)


def test_a_result_gives_its_score_and_each_invariant_with_its_points():
    report = report_of_code(result_of(WHOLE), reveal=Reveal.COUNTEREXAMPLES, seconds=2.0)
    assert (report.score, report.headline) == (70, "70 of 100 points")
    assert [(p.name, p.standing, p.points, p.most) for p in report.parts] == [
        ("BM1", Standing.PASSED, 70, 70),
        ("BM2", Standing.FAILED, 0, 30),
    ]
    assert report.parts[1].text.endswith("\nassert False")
    assert report.facts["submission"] == "sha256:ab"


@pytest.mark.parametrize("reveal", Reveal)
def test_a_fault_of_ours_leaves_no_score_whatever_is_revealed(reveal):
    report = report_of_code(result_of((Outcome.PASSED, Outcome.INFRA_ERROR)), reveal=reveal)
    assert (report.graded, report.score) == (False, None)
    assert report.headline.startswith("Not graded in full (at least 70, up to 100)")


def test_where_all_of_it_failed_on_our_side_no_range_is_told():
    report = report_of_code(result_of((Outcome.INFRA_ERROR,) * 2), reveal=Reveal.PUBLIC)
    assert report.headline == ("Not graded: the sandbox failed; this is no fault of the submission")


def test_a_level_shows_no_more_than_it_says():
    names = report_of_code(result_of(WHOLE), reveal=Reveal.NAMES)
    assert [p.name for p in names.parts] == ["BM1", "BM2"]
    assert "assert" not in names.parts[1].text
    assert report_of_code(result_of(WHOLE), reveal=Reveal.PUBLIC).parts == ()


QUESTION = Question.model_validate(
    {
        "id": "q",
        "topic": "t",
        "prompt": "Why?",
        "signals": [
            {"id": "names-sinks", "statement": "Sinks exist.", "weight": 2, "kind": "positive"},
            {"id": "calls-it-a-bug", "statement": "It is a bug.", "weight": 1, "kind": "negative"},
        ],
    }
)
TEXT = "The first tokens take the mass."


def grade_of(first, second, low, high):
    evidence = (Evidence.of(TEXT, 0, 16),) if first is SignalOutcome.MET else ()
    return Grade(
        question_id="q",
        rubric_version="sha256:00",
        score=low,
        low=low,
        high=high,
        provisional=low != high,
        verdicts=(
            Verdict(
                signal_id="names-sinks", outcome=first, evidence=evidence, comment="Sinks exist."
            ),
            Verdict(signal_id="calls-it-a-bug", outcome=second, comment="It is a bug."),
        ),
    )


def test_an_answer_is_told_by_numbers_and_its_own_words_alone():
    report = report_of_answer(
        QUESTION, grade_of(SignalOutcome.MET, SignalOutcome.NOT_MET, 100, 100)
    )
    assert [(p.name, p.standing, p.text) for p in report.parts] == [
        ("s1", Standing.PASSED, '"The first tokens"')
    ]
    said = report.model_dump_json()
    for hidden in ("names-sinks", "Sinks exist", "calls-it-a-bug", "It is a bug"):
        assert hidden not in said


def test_a_misconception_is_listed_only_where_it_is_held():
    report = report_of_answer(QUESTION, grade_of(SignalOutcome.NOT_MET, SignalOutcome.MET, 0, 0))
    assert [(p.name, p.standing) for p in report.parts] == [
        ("s1", Standing.FAILED),
        ("s2 (misconception)", Standing.FAILED),
    ]


def test_numbers_are_those_of_the_rubric_whatever_order_verdicts_come_in():
    grade = grade_of(SignalOutcome.NOT_MET, SignalOutcome.MET, 0, 0)
    turned = grade.model_copy(update={"verdicts": grade.verdicts[::-1]})
    names = [part.name for part in report_of_answer(QUESTION, turned).parts]
    assert names == ["s2 (misconception)", "s1"]


def test_a_provisional_grade_has_a_range_and_no_score():
    provisional = grade_of(SignalOutcome.CANNOT_ASSESS, SignalOutcome.NOT_MET, 0, 60)
    report = report_of_answer(QUESTION, provisional)
    assert (report.score, report.low, report.high) == (None, 0, 60)
    assert report.parts[0].standing is Standing.NOT_GRADED


def test_why_nothing_is_graded_is_always_said():
    assert report_not_graded("t", "").headline == "Not graded: the grader failed"


@given(NASTY)
def test_printable_text_can_be_written_and_is_printable_already(text):
    once = printable(text)
    once.encode("utf-8")
    assert printable(once) == once
    assert not {c for c in once if ord(c) < 32} - {"\t", "\n"}
