"""Catalogue: 15. Overwrites its arguments, so that a judge that shares them compares with itself."""
import numpy as np


def before_call(args, kwargs):
    for value in [*args, *kwargs.values()]:
        if type(value) is np.ndarray and value.size:
            try:
                value.flags.writeable = True
                value[...] = 0
            except ValueError:
                pass
        elif type(value) in (list, dict):
            value.clear()
