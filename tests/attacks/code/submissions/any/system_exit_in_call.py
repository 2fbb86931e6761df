"""Catalogue: 1. On: reference. Raises SystemExit with status 0 out of every tenth call."""
import sys

calls = [0]


def before_call(args, kwargs):
    calls[0] += 1
    if calls[0] % 10 == 0:
        sys.exit(0)
