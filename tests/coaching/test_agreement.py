"""The statistics of agreement, against worked examples and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.coaching.agreement import (
    accuracy,
    auc,
    bootstrap_by_group,
    cohen_kappa,
    confusion,
    expected_calibration_error,
    krippendorff_alpha,
    macro_f1,
)

LABELS = st.lists(st.sampled_from(["met", "partial", "not_met"]), min_size=1, max_size=40)


def test_confusion_counts_labels_in_rows_and_predictions_in_columns():
    assert confusion(["a", "a", "b"], ["a", "b", "b"]).tolist() == [[1, 1], [0, 1]]


def test_accuracy_and_macro_f1_of_a_worked_example():
    labels = ["y"] * 6 + ["n"] * 4
    predicted = ["y"] * 5 + ["n"] + ["y"] * 2 + ["n"] * 2
    assert accuracy(labels, predicted) == pytest.approx(0.7)
    f1_yes, f1_no = 2 * 5 / (6 + 7), 2 * 2 / (4 + 3)
    assert macro_f1(labels, predicted) == pytest.approx((f1_yes + f1_no) / 2)


def test_kappa_of_the_textbook_table():
    # 50 grant proposals, both readers yes 20, both no 15, 5 and 10 apart: kappa 0.4.
    labels = ["y"] * 25 + ["n"] * 25
    predicted = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohen_kappa(labels, predicted) == pytest.approx(0.4)


def test_alpha_of_krippendorffs_own_example():
    # Four observers, twelve units, gaps (Krippendorff, Computing Krippendorff's Alpha, 2011, C).
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = list(zip(*observers, strict=True))
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(units, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(units, "interval") == pytest.approx(0.849, abs=5e-4)


def test_auc_is_the_share_of_pairs_ranked_right_with_ties_half():
    assert auc([True, True, False, False], [0.9, 0.5, 0.5, 0.1]) == pytest.approx(3.5 / 4)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_auc_equals_counting_every_pair(rows):
    positive = [s for label, s in rows if label]
    negative = [s for label, s in rows if not label]
    found = auc([label for label, _ in rows], [s for _, s in rows])
    if not positive or not negative:
        assert found is None
        return
    won = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    assert found == pytest.approx(won / (len(positive) * len(negative)))


@given(LABELS)
def test_a_judge_that_copies_the_labels_is_perfect(labels):
    assert accuracy(labels, labels) == 1.0
    assert macro_f1(labels, labels) == 1.0
    assert cohen_kappa(labels, labels) in (None, pytest.approx(1.0))
    alpha = krippendorff_alpha([[float(len(x)), float(len(x))] for x in labels])
    assert alpha in (None, pytest.approx(1.0))


@given(LABELS, st.randoms(use_true_random=False))
def test_no_measure_depends_on_the_order_of_rows(labels, random):
    predicted = [random.choice(["met", "partial", "not_met"]) for _ in labels]
    order = list(range(len(labels)))
    random.shuffle(order)
    for measure in (accuracy, macro_f1, cohen_kappa):
        shuffled = measure([labels[i] for i in order], [predicted[i] for i in order])
        assert measure(labels, predicted) == pytest.approx(shuffled, nan_ok=True)


def test_calibration_error_weighs_each_bins_gap_by_its_rows():
    correct = [True, False, True, True]
    confidence = [0.55, 0.55, 0.95, 0.95]
    assert expected_calibration_error(correct, confidence) == pytest.approx(
        (2 * abs(0.5 - 0.55) + 2 * abs(1 - 0.95)) / 4
    )


def test_what_is_not_defined_is_none():
    assert accuracy([], []) is None
    assert macro_f1([], []) is None
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None
    assert auc([True, True], [0.1, 0.2]) is None
    assert expected_calibration_error([], []) is None
    assert krippendorff_alpha([[1.0, None]]) is None
    assert bootstrap_by_group(["q", "q"], lambda rows: 1.0) is None


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="2 labels but 1 predictions"):
        accuracy(["a", "b"], ["a"])


def test_the_bootstrap_draws_whole_groups():
    groups = ["a"] * 50 + ["b"] * 50
    values = np.array([0.0] * 50 + [1.0] * 50)
    seen = set()

    def mean(rows):
        seen.add(len(rows))
        return float(values[rows].mean())

    low, high = bootstrap_by_group(groups, mean, draws=200)
    assert seen == {100}
    assert (low, high) == (0.0, 1.0)


def test_equal_seeds_give_equal_intervals_and_others_differ():
    groups = list(range(30))
    values = np.linspace(0, 1, 30)

    def interval(seed):
        return bootstrap_by_group(groups, lambda rows: float(values[rows].mean()), seed=seed)

    assert interval(1) == interval(1)
    assert interval(1) != interval(2)


def test_the_interval_of_a_mean_covers_about_what_theory_says():
    rng = np.random.default_rng(5)
    values = rng.normal(size=400)
    low, high = bootstrap_by_group(range(400), lambda rows: float(values[rows].mean()))
    half_width = 1.96 * values.std() / math.sqrt(400)
    assert high - low == pytest.approx(2 * half_width, rel=0.1)
