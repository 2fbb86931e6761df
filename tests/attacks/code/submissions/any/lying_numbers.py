"""Catalogue: 13. Results are subclasses of int, float and tuple whose arithmetic lies."""


class Int(int):
    __eq__ = __le__ = __ge__ = lambda self, other: True
    __sub__ = __rsub__ = __mod__ = lambda self, other: 0
    __hash__ = int.__hash__


class Float(float):
    __eq__ = lambda self, other: True
    __sub__ = __rsub__ = lambda self, other: 0.0
    __abs__ = lambda self: 0.0
    __hash__ = float.__hash__


class Tuple(tuple):
    __eq__ = lambda self, other: True
    __hash__ = tuple.__hash__


class List(list):
    __eq__ = lambda self, other: True
    __iter__ = lambda self: iter(())


KINDS = {int: Int, float: Float, tuple: Tuple, list: List}


def dress(value):
    return KINDS.get(type(value), lambda v: v)(value)
