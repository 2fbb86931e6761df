"""Catalogue: 16, 30. Returns the very same object each time and changes it behind the judge's back."""
import numpy as np

held = {}


def dress(value):
    if type(value) is np.ndarray:
        key = (value.shape, value.dtype.str)
        found = held.setdefault(key, value.copy())
        found[...] = value + 1
        return found
    return held.setdefault(type(value), value)
