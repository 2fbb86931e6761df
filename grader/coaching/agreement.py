"""Statistics of agreement between a judge and people.

A figure that is not defined (no rows, only one class) is None, never a made-up 0 or 1. Rows of one
question resemble each other, so intervals resample whole questions.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["nominal", "ordinal", "interval"]
Indices = NDArray[np.intp]
Floats = NDArray[np.float64]

DEFAULT_DRAWS = 1000
DEFAULT_SEED = 20130614
_ECE_BINS = 10


def confusion(labels: Sequence[Hashable], predicted: Sequence[Hashable]) -> NDArray[np.int64]:
    """Counts by label (rows) and prediction (columns), over the sorted union of both."""
    _same_length(labels, predicted)
    classes = {c: i for i, c in enumerate(sorted({*labels, *predicted}, key=str))}
    table = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for label, prediction in zip(labels, predicted, strict=True):
        table[classes[label], classes[prediction]] += 1
    return table


def accuracy(labels: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """Share of predictions equal to their label."""
    return _defined(table_accuracy(confusion(labels, predicted)))


def macro_f1(labels: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """Mean of the classes' F1 over every class that occurs among labels or predictions."""
    return _defined(table_macro_f1(confusion(labels, predicted)))


def cohen_kappa(labels: Sequence[Hashable], predicted: Sequence[Hashable]) -> float | None:
    """Agreement beyond chance of two raters (Cohen, 1960); None where chance agreement is 1."""
    return _defined(table_kappa(confusion(labels, predicted)))


def table_accuracy(tables: NDArray[np.number]) -> Floats:
    """Accuracy of square tables of counts, shape (..., k, k); NaN for an empty one."""
    counts = np.asarray(tables, dtype=np.float64)
    return _ratio(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def table_macro_f1(tables: NDArray[np.number]) -> Floats:
    """Macro-F1 of square tables, shape (..., k, k), over the classes that occur in each."""
    counts = np.asarray(tables, dtype=np.float64)
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    occurrences = counts.sum(axis=-1) + counts.sum(axis=-2)
    f1 = np.divide(2 * hits, occurrences, out=np.zeros_like(hits), where=occurrences > 0)
    return _ratio(f1.sum(axis=-1), (occurrences > 0).sum(axis=-1))


def table_kappa(tables: NDArray[np.number]) -> Floats:
    """Cohen's kappa of square tables, shape (..., k, k); NaN where chance agreement is 1."""
    counts = np.asarray(tables, dtype=np.float64)
    n = counts.sum(axis=(-2, -1))
    agreed = n * np.trace(counts, axis1=-2, axis2=-1)
    by_chance = (counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1)
    return _ratio(agreed - by_chance, n * n - by_chance)


def _ratio(top: NDArray[np.number], bottom: NDArray[np.number]) -> Floats:
    above = np.asarray(top, dtype=np.float64)
    below = np.asarray(bottom, dtype=np.float64)
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _defined(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]], level: Level = "nominal"
) -> float | None:
    """Agreement beyond chance of any number of raters, with gaps (Krippendorff, 2011).

    Args:
        ratings: One row per unit, one column per rater; None where a rater gave nothing.
        level: Scale of the ratings, which decides what a disagreement weighs.

    Returns:
        1 for perfect agreement, 0 for chance, negative below; None where no unit has two ratings
        or all ratings are equal.
    """
    units = [[r for r in row if r is not None] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({r for unit in units for r in unit})
    if len(values) < 2:
        return None
    coincidence = _coincidences(units, values)
    marginal = coincidence.sum(axis=1)
    distance = _distances(values, marginal, level)
    n = marginal.sum()
    expected = float((np.outer(marginal, marginal) * distance).sum() / (n - 1))
    observed = float((coincidence * distance).sum())
    return 1.0 - observed / expected


def _coincidences(units: Sequence[Sequence[float]], values: Sequence[float]) -> Floats:
    place = {v: i for i, v in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for unit in units:
        counts = np.zeros(len(values))
        for rating in unit:
            counts[place[rating]] += 1
        table += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    return table


def _distances(values: Sequence[float], marginal: Floats, level: Level) -> Floats:
    """Squared difference between each two values on their scale."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        points = np.asarray(values, dtype=np.float64)
    else:
        points = np.cumsum(marginal) - marginal / 2
    return np.asarray((points[:, None] - points[None, :]) ** 2, dtype=np.float64)


def auc(labels: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Probability that a positive row scores above a negative one, ties half.

    The rank formula of Mann and Whitney (1947); None with only one class.
    """
    _same_length(labels, scores)
    positive = np.asarray(labels, dtype=bool)
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    _, inverse, counts = np.unique(
        np.asarray(scores, dtype=np.float64), return_inverse=True, return_counts=True
    )
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float(
        (ranks[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
    )


def expected_calibration_error(
    correct: Sequence[bool], confidence: Sequence[float], bins: int = _ECE_BINS
) -> float | None:
    """Mean gap between confidence and accuracy over equal-width bins, weighted by their rows."""
    _same_length(correct, confidence)
    if not len(correct):
        return None
    stated = np.asarray(confidence, dtype=np.float64)
    right = np.asarray(correct, dtype=np.float64)
    bin_of = np.minimum((stated * bins).astype(np.int64), bins - 1)
    gaps = np.abs(np.bincount(bin_of, weights=right - stated, minlength=bins))
    return float(gaps.sum() / len(stated))


def bootstrap_by_group(
    groups: Sequence[Hashable],
    statistic: Callable[[Indices], float | None],
    *,
    draws: int = DEFAULT_DRAWS,
    seed: int = DEFAULT_SEED,
) -> tuple[float, float] | None:
    """95 % percentile interval of a statistic when whole groups are drawn with replacement.

    Args:
        groups: Group (question) of each row.
        statistic: Computes the figure from row numbers; None where it is not defined.
        draws: Number of resamples.
        seed: Of the generator; equal seeds give equal intervals.

    Returns:
        None with fewer than two groups or where the statistic is never defined.
    """
    rows: dict[Hashable, list[int]] = {}
    for i, group in enumerate(groups):
        rows.setdefault(group, []).append(i)
    if len(rows) < 2:
        return None
    pools = [np.asarray(r, dtype=np.intp) for r in rows.values()]
    drawn = (
        statistic(
            np.concatenate([np.repeat(pool, n) for pool, n in zip(pools, count, strict=True)])
        )
        for count in group_draws(len(pools), draws, seed)
    )
    return percentile_interval([np.nan if v is None else v for v in drawn])


def group_draws(n_groups: int, draws: int, seed: int) -> NDArray[np.int64]:
    """How often each group is drawn in each resample, shape (draws, n_groups)."""
    rng = np.random.Generator(np.random.PCG64(seed))
    return rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=draws).astype(np.int64)


def percentile_interval(values: Sequence[float] | Floats) -> tuple[float, float] | None:
    """The middle 95 % of resampled figures, leaving out NaN; None where nothing is left."""
    figures = np.asarray(values, dtype=np.float64)
    figures = figures[~np.isnan(figures)]
    if not figures.size:
        return None
    low, high = np.quantile(figures, [0.025, 0.975])
    return float(low), float(high)


def _same_length(left: Sequence[object], right: Sequence[object]) -> None:
    if len(left) != len(right):
        raise ValueError(f"{len(left)} labels but {len(right)} predictions")
