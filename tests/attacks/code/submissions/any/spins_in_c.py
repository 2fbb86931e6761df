"""Catalogue: 25. Slow. Spins in C, in an expression of exponential cost, where no signal is seen."""
import re


def before_call(args, kwargs):
    re.match(r"(a+)+$", "a" * 60 + "b")
