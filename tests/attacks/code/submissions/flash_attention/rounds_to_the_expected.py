"""Catalogue: 13, 34. On: reference. Adds noise below what a loose comparison would see."""
import numpy as np


def dress(value):
    if type(value) is np.ndarray:
        return value + value.dtype.type(0.03)
    return value
