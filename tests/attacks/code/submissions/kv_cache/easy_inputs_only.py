"""Catalogue: 34. On: reference. Skips the work wherever there is more than a little of it."""
import numpy as np


def dress(value):
    if type(value) is np.ndarray and value.size > 64:
        return np.zeros_like(value)
    return value
