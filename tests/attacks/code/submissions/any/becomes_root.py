"""Catalogue: 22. Tries to change user, groups, capabilities, limits and its own filter."""
import ctypes
import os
import resource

libc = ctypes.CDLL(None, use_errno=True)


def before_call(args, kwargs):
    for attempt in (
        lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]),
        lambda: os.setresuid(0, 0, 0), lambda: os.chown("/", 0, 0), lambda: os.nice(-20),
        lambda: resource.setrlimit(resource.RLIMIT_CPU, (-1, -1)),
        lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)),
        lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)),
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99)),
        lambda: os.execve("/bin/su", ["su"], {}),
    ):
        try:
            attempt()
        except (OSError, ValueError, AttributeError):
            pass
    for option in (4, 8, 24, 28, 38, 22, 47):
        libc.prctl(option, 1, 0, 0, 0)
