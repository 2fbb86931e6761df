"""Catalogue: 34. On: reference. Answers in half precision where single is demanded."""
import numpy as np


def dress(value):
    if type(value) is np.ndarray and value.dtype == np.float32:
        return value.astype(np.float16).astype(np.float32)
    return value
