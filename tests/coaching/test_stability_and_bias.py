"""How far a judge agrees with itself, and whether form moves its scores."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.coaching.bias import CHANGES, bias_shift, informal, named, padded, reversed_signals
from grader.coaching.stability import stability_report
from grader.domain.answer import Answer
from grader.judges.guard import guard
from grader.judges.pipeline import grade_answer
from tests.coaching.grades import grade
from tests.judges.llm.cases import HONEST, QUESTION, TEXT, judge_of


def test_flips_are_counted_over_signals_that_both_runs_decided():
    first = [grade(a="met", b="not_met", c="met"), grade(score=40, a="met", b="partial", c="met")]
    second = [
        grade(a="met", b="met", c="cannot_assess"),
        grade(score=50, a="met", b="partial", c="met"),
    ]
    report = stability_report(first, second)
    assert (report.answers, report.decided, report.flips, report.undecided) == (2, 5, 1, 1)
    assert report.flip_share == 0.2
    assert report.by_signal == {"q/b": 1}
    assert report.score_shift == 5
    assert report.interval[0] <= 0.2 <= report.interval[1]


def test_a_run_against_itself_has_no_flip():
    runs = [grade(a="met"), grade(a="not_met")]
    assert stability_report(runs, runs).flips == 0


def test_nothing_decided_gives_no_share():
    report = stability_report([grade(a="cannot_assess")], [grade(a="met")])
    assert report.flip_share is None


def test_runs_of_other_answers_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        stability_report([grade(a="met")], [])


def test_the_shift_is_after_minus_before_with_an_interval_over_questions():
    before = [grade("q1", 50, a="met"), grade("q2", 60, a="met")]
    after = [grade("q1", 40, a="not_met"), grade("q2", 60, a="met")]
    shift = bias_shift("x", before, after)
    assert shift.shift == -5
    assert shift.flipped == 0.5
    assert shift.interval == (-10, 0)


@given(st.text(min_size=1, max_size=400))
def test_changes_of_form_are_the_same_on_every_run(text):
    for change in CHANGES:
        assert change.text(text) == change.text(text)


def test_padding_keeps_the_answer_whole_and_makes_it_about_twice_as_long():
    assert TEXT in padded(TEXT)
    assert 1.4 * len(TEXT) <= len(padded(TEXT)) <= 3.5 * len(TEXT)


def test_informal_style_keeps_the_words_that_matter():
    loose = informal("The weights are read once. It is memory bound, and it is not compute bound.")
    assert "memory bound" in loose
    assert "it isn't" in loose or "it's not" in loose
    assert loose == loose.lower()


def test_a_name_stands_before_the_answer():
    assert named(TEXT).endswith(TEXT)
    assert named(TEXT) != TEXT


def test_the_guard_lets_every_change_of_form_pass():
    for change in CHANGES:
        guarded = guard(QUESTION, Answer.of(change.text(TEXT)))
        assert guarded.settled is None
        assert guarded.flagged == (), change.name


def test_a_judge_that_reads_meaning_is_not_moved_by_padding_names_or_order():
    def graded(text, question=QUESTION):
        return asyncio.run(grade_answer(question, Answer.of(text), judge_of(HONEST)))

    before = graded(TEXT)
    for after in (
        graded(padded(TEXT)),
        graded(named(TEXT)),
        graded(TEXT, reversed_signals(QUESTION)),
    ):
        shift = bias_shift("x", [before], [after])
        assert (shift.shift, shift.flipped) == (0, 0)
