"""Catalogue: 6. Installs a filter of its own that traps every write, to be asked before it."""
import ctypes
import signal
import struct

libc = ctypes.CDLL(None, use_errno=True)


def trap(number, frame):
    return None


signal.signal(signal.SIGSYS, trap)
RULES = [
    (0x20, 0, 0, 0),
    (0x15, 0, 1, 1),
    (0x06, 0, 0, 0x00030000),
    (0x15, 0, 1, 46),
    (0x06, 0, 0, 0x00030000),
    (0x06, 0, 0, 0x7FFF0000),
]
program = b"".join(struct.pack("<HBBI", *rule) for rule in RULES)
buffer = ctypes.create_string_buffer(program, len(program))


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


installed = [False]


def before_call(args, kwargs):
    if not installed[0]:
        installed[0] = True
        header = Program(len(RULES), ctypes.cast(buffer, ctypes.c_void_p))
        libc.prctl(22, 2, ctypes.byref(header), 0, 0)
