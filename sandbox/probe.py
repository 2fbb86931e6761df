"""The submission that the self-check runs: tries what no submission may do, and says what came.

Never imported on the host; its text goes into a sandbox like any other submission's.
"""

import contextlib
import ctypes
import errno
import os
import signal
import time

_libc = ctypes.CDLL(None, use_errno=True)


def _name(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "?")


def system_call(number: int, arguments: tuple[int, ...]) -> str:
    """Name of the error that a raw system call gives, or `allowed`."""
    ctypes.set_errno(0)
    wide = [ctypes.c_long(argument) for argument in arguments]
    if _libc.syscall(ctypes.c_long(number), *wide) >= 0:
        return "allowed"
    return errno.errorcode.get(ctypes.get_errno(), "?")


def status() -> dict[str, str]:
    """The lines of /proc/self/status."""
    with open("/proc/self/status") as lines:
        return dict(line.rstrip("\n").split(":\t", 1) for line in lines if ":\t" in line)


def interfaces() -> list[str]:
    """Network interfaces that exist here."""
    with open("/proc/net/dev") as lines:
        return [line.split(":")[0].strip() for line in lines if ":" in line]


def writable(directories: tuple[str, ...]) -> list[str]:
    """Of all directories below the given ones, those in which a file can be made."""
    found = []
    for top in directories:
        for directory, _, _ in os.walk(top):
            name = os.path.join(directory, "written-by-the-probe")
            try:
                os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
            except OSError:
                continue
            found.append(directory)
            os.unlink(name)
    return found


def fill(path: str, most: int) -> tuple[int, str]:
    """Bytes that could be written to a new file, and the error that ended it."""
    block = bytes(1 << 16)
    written = 0
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        while written < most:
            written += os.write(descriptor, block)
    except OSError as error:
        return written, _name(error)
    finally:
        os.close(descriptor)
        os.unlink(path)
    return written, ""


def fork_many(most: int) -> tuple[int, str]:
    """Children that could be had at once, up to `most`, and the error that ended it."""
    children: list[int] = []
    reason = ""
    try:
        while len(children) < most:
            child = os.fork()
            if child == 0:
                time.sleep(60)
                os._exit(0)
            children.append(child)
    except OSError as error:
        reason = _name(error)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children), reason


def fork_once() -> str:
    """Name of the error that a fork gives."""
    try:
        child = os.fork()
    except OSError as error:
        return _name(error)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "allowed"


def thread_once() -> str:
    """Whether a thread could be started."""
    import threading

    try:
        threading.Thread(target=int).start()
    except RuntimeError:
        return "refused"
    return "allowed"


def attack_supervisor() -> list[str]:
    """Signals PID 1 and tries to read and write it; what could be opened."""
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.kill(1, number)
    opened = []
    for name, flags in (
        ("1/mem", os.O_RDWR),
        ("1/fd/3", os.O_RDONLY),
        ("1/environ", os.O_RDONLY),
        ("1/maps", os.O_RDONLY),
        ("self/mem", os.O_RDWR),
        ("self/clear_refs", os.O_WRONLY),
    ):
        try:
            os.close(os.open(f"/proc/{name}", flags))
        except OSError:
            continue
        opened.append(name)
    return opened


def grab(most: int) -> int:
    """Takes memory and touches it."""
    blocks = []
    for _ in range(most >> 20):
        block = bytearray(1 << 20)
        block[::4096] = b"x" * (len(block) // 4096)
        blocks.append(block)
    return len(blocks)


def spin() -> None:
    """Uses CPU time for ever."""
    while True:
        pass
