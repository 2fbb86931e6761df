"""Catalogue: 25. Opens descriptors until there are none left, the worker's next ones included."""
import os

held = []


def before_call(args, kwargs):
    while True:
        try:
            held.append(os.open("/", os.O_RDONLY))
            held.append(os.pipe())
        except OSError:
            return
