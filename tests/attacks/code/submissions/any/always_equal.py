"""Catalogue: 13. Every result says that it equals whatever it is compared with."""


class Equal:
    def __eq__(self, other):
        return True

    __ne__ = lambda self, other: False
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__
    __hash__ = lambda self: 0
    __len__ = __int__ = __index__ = lambda self: 0
    __float__ = lambda self: 0.0
    __iter__ = lambda self: iter(())
    __getattr__ = lambda self, name: self
    __getitem__ = lambda self, key: self
    __call__ = lambda self, *a, **k: self
    __sub__ = __rsub__ = __add__ = __abs__ = lambda self, *other: 0


def dress(value):
    return Equal()
