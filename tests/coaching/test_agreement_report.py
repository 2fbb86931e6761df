"""The report over labelled verdicts."""

import pytest

from grader.coaching.agreement_report import LabelledVerdict, PartialAs, agreement_report
from grader.domain.verdict import Outcome

MET, PARTIAL, NOT_MET, ABSTAINED = Outcome


def row(question, signal, label, predicted, confidence=0.8, answer="a1"):
    return LabelledVerdict(
        question_id=question,
        answer_id=answer,
        signal_id=signal,
        label=label,
        predicted=predicted,
        confidence=confidence,
    )


ROWS = [
    row("q1", "s1", MET, MET),
    row("q1", "s2", MET, ABSTAINED, 0.0),
    row("q2", "s1", NOT_MET, MET),
    row("q2", "s2", NOT_MET, NOT_MET),
    row("q3", "s1", PARTIAL, MET),
]


def test_abstentions_lower_coverage_and_leave_the_other_measures_alone():
    overall = agreement_report(ROWS).overall
    assert (overall.rows, overall.decided) == (5, 4)
    assert overall.coverage.value == pytest.approx(0.8)
    assert overall.accuracy.value == pytest.approx(2 / 4)


def test_partial_labels_count_as_asked():
    def accuracy(partial_as):
        return agreement_report(ROWS, partial_as=partial_as).overall.accuracy.value

    assert accuracy(PartialAs.KEEP) == pytest.approx(2 / 4)
    assert accuracy(PartialAs.MET) == pytest.approx(3 / 4)
    assert accuracy(PartialAs.NOT_MET) == pytest.approx(2 / 4)
    assert accuracy(PartialAs.DROP) == pytest.approx(2 / 3)


def test_met_rate_bias_is_positive_for_a_lenient_judge():
    bias = agreement_report(ROWS, partial_as=PartialAs.DROP).overall.met_rate_bias
    assert bias.value == pytest.approx(1 / 3)


def test_calibration_error_compares_confidence_with_being_right():
    overall = agreement_report(ROWS, partial_as=PartialAs.DROP).overall
    assert overall.calibration_error.value == pytest.approx(abs(2 / 3 - 0.8))


def test_a_row_labelled_cannot_assess_is_no_label():
    report = agreement_report([*ROWS, row("q9", "s9", ABSTAINED, MET)])
    assert report.overall.rows == 5
    assert "q9/s9" not in report.signals


def test_each_signal_has_its_own_figures():
    signals = agreement_report(ROWS).signals
    assert signals["q2/s1"].accuracy.value == 0.0
    assert signals["q1/s2"].accuracy.value is None
    assert signals["q1/s2"].coverage.value == 0.0


def test_intervals_resample_questions_and_within_one_question_answers():
    overall = agreement_report(ROWS).overall
    assert overall.accuracy.low <= overall.accuracy.value <= overall.accuracy.high
    one = [row("q", "s", MET, MET, answer="a"), row("q", "s", MET, NOT_MET, answer="b")]
    assert agreement_report(one).overall.accuracy.low == 0.0
    assert agreement_report(one[:1]).overall.accuracy.low is None


def test_no_rows_give_no_figures():
    overall = agreement_report([]).overall
    assert overall.rows == 0
    assert overall.accuracy.value is None
