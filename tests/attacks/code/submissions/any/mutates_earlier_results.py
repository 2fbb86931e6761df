"""Catalogue: 16. On: reference. Keeps every array and list it returned and overwrites it later."""
import numpy as np

kept = []


def before_call(args, kwargs):
    for value in kept:
        if type(value) is np.ndarray and value.size:
            value[...] = 7
        elif type(value) is list:
            value[:] = [7] * len(value)


def dress(value):
    kept.append(value)
    before_call((), {})
    return value
