"""Catalogue: 2. The same through the module below os, and through libc."""
import ctypes
import posix


def before_call(args, kwargs):
    ctypes.CDLL(None)._exit(0)
    posix._exit(0)
