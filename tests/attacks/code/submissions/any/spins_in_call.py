"""Catalogue: 25. Slow. Spins in every call, deaf to every signal."""
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def before_call(args, kwargs):
    while True:
        pass
