"""The shift learnt from a few graded answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judges.offline.calibration import Calibration, SignalShift, fit_bias
from grader.judges.offline.logistic import sigmoid

ODDS = st.lists(st.floats(-6, 6), min_size=3, max_size=30)


def test_fewer_than_three_labels_teach_nothing():
    assert fit_bias([0.0, 1.0], [True, False]) is None


@given(ODDS)
def test_a_signal_met_everywhere_shifts_up_and_one_met_nowhere_down(odds):
    up, down = fit_bias(odds, [True] * len(odds)), fit_bias(odds, [False] * len(odds))
    assert up.shift > 0 > down.shift


@given(ODDS, st.data())
def test_the_posterior_is_flat_at_the_shift(odds, data):
    labels = data.draw(st.lists(st.booleans(), min_size=len(odds), max_size=len(odds)))
    found = fit_bias(odds, labels, precision=0.5)
    slope = sum(y - sigmoid(z + found.shift) for y, z in zip(labels, odds, strict=True))
    assert slope - 0.5 * found.shift == pytest.approx(0, abs=1e-4)


@given(ODDS)
def test_the_prior_shrinks(odds):
    labels = [True] * len(odds)
    assert fit_bias(odds, labels, precision=2.0).shift < fit_bias(odds, labels, 0.5).shift


def test_more_labels_make_the_shift_surer_and_temper_less():
    few, many = fit_bias([0.0] * 4, [True, False] * 2), fit_bias([0.0] * 40, [True, False] * 20)
    assert many.variance < few.variance
    assert abs(few.applied(2.0)) < abs(many.applied(2.0)) < 2.0


def test_labels_and_odds_must_pair():
    with pytest.raises(ValueError, match="3 log odds but 2 labels"):
        fit_bias([0.0, 0.0, 0.0], [True, False])


def test_a_calibration_is_data_that_survives_json():
    shift = SignalShift(shift=0.5, variance=0.2, labels=5)
    calibration = Calibration(judge="offline-1", shifts={"q": {"s": shift}})
    again = Calibration.model_validate_json(calibration.model_dump_json())
    assert again == calibration
    assert again.shift("q", "s") == shift
    assert again.shift("q", "other") is None
