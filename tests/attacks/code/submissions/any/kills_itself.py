"""Catalogue: 2. Sends itself SIGKILL."""
import os
import signal


def before_call(args, kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
