"""Catalogue: 6. On: reference. Puts itself between the worker and its link with dup2."""
import os

reading, writing = os.pipe()
kept = os.dup(3)
os.dup2(writing, 3)


def before_call(args, kwargs):
    os.write(kept, b'["v", true]' * 8)
