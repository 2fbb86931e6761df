"""Catalogue: 13. Results are arrays of a subclass that answers every function with yes."""
import numpy as np


class Array(np.ndarray):
    __array_priority__ = 1e9

    def __array_function__(self, function, types, args, kwargs):
        return True

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.bool_(True)

    def __eq__(self, other):
        return True

    def tobytes(self, *args):
        return b"\0" * 8

    shape = property(lambda self: (1, 1))


def dress(value):
    return value.view(Array) if type(value) is np.ndarray else np.zeros(1).view(Array)
