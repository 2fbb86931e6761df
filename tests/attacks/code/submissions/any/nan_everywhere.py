"""Catalogue: 13. Every number is NaN or infinite, as a wildcard for comparisons."""
import numpy as np

calls = [0]
KINDS = [float("nan"), float("inf"), -float("inf"), -0.0]


def dress(value):
    calls[0] += 1
    odd = KINDS[calls[0] % len(KINDS)]
    if type(value) is np.ndarray:
        return np.full(value.shape, odd, value.dtype)
    return tuple(dress(v) for v in value) if type(value) is tuple else odd
