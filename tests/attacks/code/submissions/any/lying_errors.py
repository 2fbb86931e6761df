"""Catalogue: 13. Raises errors that call themselves by the demanded names but are not those."""
KINDS = [
    type(name, (BaseException,), {"__module__": "builtins", "__qualname__": name})
    for name in ("ValueError", "KeyError", "OutOfBlocks", "CacheFull", "builtins.ValueError")
]


class Meta(type):
    def mro(cls):
        return (cls, BaseException, object)

    __name__ = "ValueError"


class Odd(BaseException, metaclass=Meta):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__
    args = property(lambda self: 1 / 0)


KINDS.append(Odd)
calls = [0]


def before_call(args, kwargs):
    calls[0] += 1
    raise KINDS[calls[0] % len(KINDS)]("x" * 100_000)
