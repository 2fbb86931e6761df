"""Catalogue: 6, 25b. Slow. Reads the next requests off the link, so that both sides wait."""
import os


def before_call(args, kwargs):
    while True:
        os.read(3, 1 << 16)
