"""Catalogue: 2. Sets errors in the interpreter from C, where no Python frame can catch them."""
import ctypes


def before_call(args, kwargs):
    ctypes.pythonapi.PyErr_SetInterrupt()
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(__import__("threading").get_ident()), ctypes.py_object(SystemExit)
    )
    for _ in range(1000):
        pass
