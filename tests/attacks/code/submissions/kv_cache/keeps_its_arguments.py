"""Catalogue: 15, 16. On: reference. Against: KV5. Writes into its arguments once it has its result."""
import numpy as np

held = []


def before_call(args, kwargs):
    held[:] = [a for a in args[1:] if type(a) is np.ndarray]


def dress(value):
    for array in held:
        if array.flags.writeable and array.size:
            array[...] = np.nan
    return value
