"""Catalogue: 25, 25b. Slow. Sleeps in every call."""
import time


def before_call(args, kwargs):
    time.sleep(1000)
