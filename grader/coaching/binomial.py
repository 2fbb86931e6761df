"""Exact bounds on a share from counts (Clopper and Pearson, 1934)."""

import math

_STEPS = 60


def upper_bound(errors: int, n: int, assurance: float) -> float:
    """The largest error rate under which so few errors are still this likely.

    Args:
        errors: Errors seen.
        n: Trials.
        assurance: Probability with which the bound holds, one-sided, in (0, 1).

    Returns:
        The rate in [0, 1]; 1 without trials.

    Raises:
        ValueError: The counts do not fit.
    """
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors in {n} trials")
    if errors == n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _at_most(errors, n, middle) > 1 - assurance:
            low = middle
        else:
            high = middle
    return high


def trials_needed(error: float, assurance: float) -> int:
    """How many trials without an error bound the rate by ``error``."""
    return math.ceil(math.log(1 - assurance) / math.log(1 - error))


def _at_most(k: int, n: int, p: float) -> float:
    """Probability of at most ``k`` successes in ``n`` trials."""
    if p <= 0:
        return 1.0
    if p >= 1:
        return 0.0
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(i + 1)
        - math.lgamma(n - i + 1)
        + i * math.log(p)
        + (n - i) * math.log1p(-p)
        for i in range(k + 1)
    ]
    largest = max(logs)
    return math.exp(largest) * math.fsum(math.exp(x - largest) for x in logs)
