"""Catalogue: 17, 27. On: reference. Tries to be wrong once and right whenever it is looked at again."""
import os

import numpy as np

calls = [0]
PLACES = ("/tmp/again", "/dev/shm/again", "again", "/run/again")


def seen_before():
    for path in PLACES:
        if os.path.exists(path):
            return True
        try:
            open(path, "w").close()
        except OSError:
            pass
    return "AGAIN" in os.environ


def dress(value):
    calls[0] += 1
    os.environ["AGAIN"] = "1"
    if calls[0] == 40 and not seen_before() or calls[0] > 60:
        return value + 1 if type(value) in (int, np.ndarray) else None
    return value
