"""Catalogue: 25, 32. On: reference. Against: FA10. Holds memory from the start, so that what a call takes is not seen."""
import numpy as np

held = [np.ones(1 << 20) for _ in range(12)]


def before_call(args, kwargs):
    if held:
        held.pop()
    np.ones(14 << 20)
