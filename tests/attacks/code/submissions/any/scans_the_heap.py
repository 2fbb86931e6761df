"""Catalogue: 8, 14, 17. Slow. Collects every key-like text on the heap, prints it, and signs with it."""
import gc
import os
import re
import sys

KEY = re.compile(r"^[0-9a-f]{32,128}$")


def before_call(args, kwargs):
    seen = set()
    for item in gc.get_objects():
        values = item.values() if type(item) is dict else item if type(item) in (list, tuple) else ()
        for value in list(values)[:1000]:
            if type(value) is str and KEY.match(value):
                seen.add(value)
    frame = sys._getframe()
    while frame is not None:
        seen |= {v for v in frame.f_locals.values() if type(v) is str and KEY.match(v)}
        frame = frame.f_back
    for key in sorted(seen):
        print(key)
        os.environ["SIGNATURE"] = key
