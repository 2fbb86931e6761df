"""Catalogue: 27. On: reference. Wrong in every other ten microseconds."""
import time

import numpy as np


def dress(value):
    if int(time.time() * 100_000) % 2:
        return value
    return value + 1 if type(value) in (int, np.ndarray) else None
