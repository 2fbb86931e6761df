"""Catalogue: 18. Puts all that it sees of its surroundings into the messages of errors."""
import os
import sys


def before_call(args, kwargs):
    frame, seen = sys._getframe(), []
    while frame is not None:
        seen.append(repr(frame.f_locals)[:5000])
        frame = frame.f_back
    raise ValueError("\n".join([*seen, repr(dict(os.environ)), repr(args)]))
