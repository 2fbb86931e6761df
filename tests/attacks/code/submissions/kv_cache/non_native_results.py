"""Catalogue: 13. On: reference. Right numbers in another byte order, or in doubles."""
import numpy as np


def dress(value):
    return value.astype(np.float64) if type(value) is np.ndarray else value
