"""Catalogue: 25. Slow. Stops itself with SIGSTOP."""
import os
import signal


def before_call(args, kwargs):
    os.kill(os.getpid(), signal.SIGSTOP)
