"""Catalogue: 25, 25b. Slow. Does a little, sleeps a little, and never ends."""
import time


def before_call(args, kwargs):
    while True:
        sum(range(20_000))
        time.sleep(0.01)
