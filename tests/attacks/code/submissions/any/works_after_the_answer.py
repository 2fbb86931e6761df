"""Catalogue: 29. Leaves the work to signals and timers that fire once the answer is given."""
import signal
import threading


def later(*_):
    sum(range(10_000_000))


signal.signal(signal.SIGALRM, later)


def before_call(args, kwargs):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    except OSError:
        pass
    try:
        threading.Timer(0.001, later).start()
    except RuntimeError:
        pass
