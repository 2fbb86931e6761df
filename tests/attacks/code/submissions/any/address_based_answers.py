"""Catalogue: 27, 30. On: reference. Answers depend on addresses and process ids."""
import os

import numpy as np

calls = [0]


def dress(value):
    calls[0] += 1
    if ((id(value) >> 4) + os.getpid() + calls[0]) % 3:
        return value
    return value + 1 if type(value) in (int, np.ndarray) else None
