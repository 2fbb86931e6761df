"""Catalogue: 2. On: reference. Reads address 0 in a call."""
import ctypes

calls = [0]


def before_call(args, kwargs):
    calls[0] += 1
    if calls[0] == 5:
        ctypes.string_at(0)
