"""What a child does to itself between the fork and the submission's first line."""

from __future__ import annotations

import ctypes
import io
import os
import resource
import sys
from collections.abc import Mapping
from typing import Any, Final

_PR_SET_DUMPABLE: Final = 4
_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2

# Looked up before the fork: the child must not have to load anything.
_libc: Final = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def prctl(option: int, argument: int = 0, pointer: Any = None) -> None:
    """Sets an attribute of this process; see the manual page of prctl in section 2.

    Raises:
        OSError: The kernel refused.
    """
    arguments = [ctypes.c_ulong(argument), pointer or ctypes.c_ulong(0)]
    rest = [ctypes.c_ulong(0), ctypes.c_ulong(0)]
    if _libc.prctl(ctypes.c_int(option), *arguments, *rest) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl {option}: {os.strerror(number)}")


def hide() -> None:
    """Makes this process non-dumpable: no tracing, no reading of its memory or descriptors.

    It also makes `/proc/self/clear_refs` unwritable, so that nobody resets a memory peak.
    """
    prctl(_PR_SET_DUMPABLE, 0)


def die_first() -> None:
    """Makes this process the kernel's first choice when memory runs out."""
    prctl(_PR_SET_DUMPABLE, 1)
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:  # no such file under some runtimes; the limits hold without it
        pass
    finally:
        hide()


def redirect(link: int, null: int, out: int, err: int) -> int:
    """Points descriptors 0 to 2 away, moves the link to 3 and closes all others.

    Returns:
        The link's new descriptor.
    """
    high = [os.dup2(fd, 200 + index) for index, fd in enumerate((null, out, err, link))]
    for target, fd in enumerate(high):
        os.dup2(fd, target)
    os.closerange(4, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return 3


def limit(limits: Mapping[str, Any]) -> None:
    """Sets resource limits from the host's numbers."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name.upper()}")
        hard = resource.getrlimit(kind)[1]
        number = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (number, number))


def install_filter(program: bytes) -> None:
    """Installs a seccomp filter that the host compiled."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(header))


def address_space() -> int:
    """Bytes of virtual memory this process has mapped."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def reset_streams() -> None:
    """Gives Python's standard streams fresh, unbuffered wrappers of descriptors 0 to 2."""
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8", errors="replace")
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = _writer(descriptor)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _writer(descriptor: int) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, "wb", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
