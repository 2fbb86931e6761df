"""The logistic fit, against what must hold at its maximum."""

import math
import random

import pytest

from grader.judges.offline.logistic import fit, sigmoid, solve


def data(n=200, seed=3):
    rng = random.Random(seed)
    rows = [(1.0, rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(n)]
    labels = [float(rng.random() < sigmoid(0.5 + 2 * x - y)) for _, x, y in rows]
    return rows, labels, [1.0] * n


def test_the_gradient_is_zero_at_the_fit():
    rows, labels, weights = data()
    ridge = [1e-6, 1.0, 1.0]
    beta = fit(rows, labels, weights, ridge)
    for j in range(3):
        slope = sum(
            w * (y - sigmoid(sum(b * x for b, x in zip(beta, row, strict=True)))) * row[j]
            for row, y, w in zip(rows, labels, weights, strict=True)
        )
        assert slope - ridge[j] * beta[j] == pytest.approx(0, abs=1e-6)


def test_the_order_of_rows_does_not_change_a_bit():
    rows, labels, weights = data()
    order = list(range(len(rows)))
    random.Random(1).shuffle(order)
    shuffled = fit([rows[i] for i in order], [labels[i] for i in order], weights, [1e-6, 1.0, 1.0])
    assert shuffled == fit(rows, labels, weights, [1e-6, 1.0, 1.0])


def test_a_row_of_weight_two_counts_like_two_rows():
    rows, labels, _ = data(40)
    doubled = fit(rows + rows[:5], labels + labels[:5], [1.0] * 45, [0.1] * 3)
    weighted = fit(rows, labels, [2.0] * 5 + [1.0] * 35, [0.1] * 3)
    assert doubled == pytest.approx(weighted, abs=1e-9)


def test_separable_classes_stay_finite():
    beta = fit([(1.0, -1.0), (1.0, 1.0)], [0.0, 1.0], [1.0, 1.0], [1e-6, 1.0])
    assert all(math.isfinite(b) for b in beta)
    assert beta[1] > 0


def test_sigmoid_does_not_overflow():
    assert sigmoid(-1e4) == 0.0
    assert sigmoid(1e4) == 1.0


def test_solve_inverts_a_positive_definite_system():
    assert solve([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]) == pytest.approx([1 / 11, 7 / 11])
