"""Catalogue: 13. Results say another thing each time they are looked at, and lie about their class."""
import numpy as np


class Meta(type):
    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class Changing(metaclass=Meta):
    count = 0
    __class__ = property(lambda self: np.ndarray)
    dtype = property(lambda self: np.dtype("float32"))

    def __getattribute__(self, name):
        Changing.count += 1
        return object.__getattribute__(self, name) if Changing.count % 2 else Changing.count

    def __reduce__(self):
        return print, ("unpickled",)


def dress(value):
    return Changing()
