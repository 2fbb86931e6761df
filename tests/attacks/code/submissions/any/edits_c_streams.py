"""Catalogue: 6. On: reference. Writes past Python, through libc's own streams and calls."""
import ctypes

libc = ctypes.CDLL(None)


def before_call(args, kwargs):
    libc.dprintf(3, b"%s", b'["v",true]')
    stream = ctypes.c_void_p(libc.fdopen(3, b"w"))
    if stream.value:
        libc.fputs(b'{"verdict": "correct"}\n', stream)
        libc.fflush(stream)
