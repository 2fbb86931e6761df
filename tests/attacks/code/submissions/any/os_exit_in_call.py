"""Catalogue: 2. On: reference. Leaves without clean-up, status 0, in the third call."""
import os

calls = [0]


def before_call(args, kwargs):
    calls[0] += 1
    if calls[0] == 3:
        os._exit(0)
