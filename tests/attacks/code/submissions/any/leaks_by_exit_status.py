"""Catalogue: 18. Tells what it was asked by exit status and signal."""
import os


def before_call(args, kwargs):
    os._exit(hash(repr(args[1:])) % 256)
