"""Logistic regression with a ridge, fitted by Newton's method, the same bits on every machine.

All sums over rows are exactly rounded (``math.fsum``), so they depend neither on the order of
rows nor on a linear-algebra library.
"""

import math
from collections.abc import Sequence

_STEPS = 60
_TOLERANCE = 1e-9


def sigmoid(z: float) -> float:
    """Logistic function without overflow."""
    if z >= 0:
        return 1.0 / (1.0 + math.exp(-z))
    e = math.exp(z)
    return e / (1.0 + e)


def fit(
    rows: Sequence[Sequence[float]],
    labels: Sequence[float],
    weights: Sequence[float],
    ridge: Sequence[float],
) -> list[float]:
    """Coefficients that maximise the penalised weighted likelihood.

    Args:
        rows: Features, one sequence per example; a constant 1 where an intercept is wanted.
        labels: 0 to 1, one per row.
        weights: Weight of each row.
        ridge: Prior precision of each coefficient; positive, so that a maximum exists.

    Returns:
        One coefficient per feature.
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    beta = [0.0] * len(ridge)
    for _ in range(_STEPS):
        step = _newton_step(columns, labels, weights, ridge, beta)
        beta = [b + s for b, s in zip(beta, step, strict=True)]
        if max(abs(s) for s in step) < _TOLERANCE:
            break
    return beta


def _newton_step(
    columns: Sequence[Sequence[float]],
    labels: Sequence[float],
    weights: Sequence[float],
    ridge: Sequence[float],
    beta: Sequence[float],
) -> list[float]:
    d = len(columns)
    p = [sigmoid(_dot(beta, x)) for x in zip(*columns, strict=True)]
    residual = [w * (y - q) for w, y, q in zip(weights, labels, p, strict=True)]
    curvature = [w * q * (1 - q) for w, q in zip(weights, p, strict=True)]
    gradient = [_dot(columns[j], residual) - ridge[j] * beta[j] for j in range(d)]
    hessian = [[0.0] * d for _ in range(d)]
    for j in range(d):
        scaled = [c * x for c, x in zip(curvature, columns[j], strict=True)]
        for k in range(j, d):
            hessian[j][k] = hessian[k][j] = _dot(scaled, columns[k])
        hessian[j][j] += ridge[j]
    return solve(hessian, gradient)


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solves a positive definite system by Cholesky's method."""
    n = len(right)
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i][j] - _dot(lower[i][:j], lower[j][:j])
            lower[i][j] = math.sqrt(rest) if i == j else rest / lower[j][j]
    half = [0.0] * n
    for i in range(n):
        half[i] = (right[i] - _dot(lower[i][:i], half[:i])) / lower[i][i]
    result = [0.0] * n
    for i in reversed(range(n)):
        tail = _dot([lower[k][i] for k in range(i + 1, n)], result[i + 1 :])
        result[i] = (half[i] - tail) / lower[i][i]
    return result
