"""Catalogue: 33, 34. On: reference. Right for the first twenty calls of a process, then wrong."""
import numpy as np

calls = [0]


def dress(value):
    calls[0] += 1
    if calls[0] <= 20:
        return value
    return value * 0 if type(value) in (int, np.ndarray) else None
