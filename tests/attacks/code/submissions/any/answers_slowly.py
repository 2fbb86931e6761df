"""Catalogue: 25b. Slow. Wrong answers, each with a delay that makes a search for small ones long."""
import time


def before_call(args, kwargs):
    end = time.process_time() + 0.02
    while time.process_time() < end:
        pass
