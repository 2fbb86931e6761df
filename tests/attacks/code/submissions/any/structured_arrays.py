"""Catalogue: 13. Results are arrays of odd types: objects, structures, overlapping memory."""
import numpy as np


class Equal:
    __eq__ = lambda self, other: True
    __float__ = lambda self: 0.0


KINDS = [
    lambda: np.array([Equal()], dtype=object),
    lambda: np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]),
    lambda: np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (1 << 20, 1 << 10), (0, 0)),
    lambda: np.ma.masked_all((2, 2), np.float32),
    lambda: np.zeros((), np.float32),
    lambda: np.zeros((0,) * 32, np.float32),
    lambda: np.array(["x"]),
    lambda: np.array([1], ">f4"),
    lambda: np.matrix([[1.0]]),
]
calls = [0]


def dress(value):
    calls[0] += 1
    return KINDS[calls[0] % len(KINDS)]()
