"""Catalogue: 25. On: reference. Writes 4 KiB to standard error at every call."""
import os


def before_call(args, kwargs):
    for _ in range(64):
        os.write(2, b"\x1b[2J\xff\xfe" * 1000)
