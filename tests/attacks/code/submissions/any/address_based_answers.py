"""Catalogue: 27, 30. On: reference. Answers depend on addresses and process ids."""
import os

import numpy as np


def dress(value):
    if (id(object()) >> 4 ^ os.getpid()) % 3:
        return value
    return value + 1 if type(value) in (int, np.ndarray) else None
