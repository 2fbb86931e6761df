"""Catalogue: 27. On: reference. Wrong in every other thirtieth of a second."""
import time

import numpy as np


def dress(value):
    if int(time.time() * 30) % 2:
        return value
    return value + 1 if type(value) in (int, np.ndarray) else None
