"""Catalogue: 2, 25. Recurses through C until the stack is gone."""
import sys

sys.setrecursionlimit(1 << 30)


class Deep:
    def __repr__(self):
        return repr([self])


def before_call(args, kwargs):
    repr(Deep())
