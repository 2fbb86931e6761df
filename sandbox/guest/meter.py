"""Reads another process's CPU time and memory from outside."""

from __future__ import annotations

import os
import re
import time
from typing import Final

_TICK: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_RUNNABLE: Final = re.compile(rb"State:\s*R")
_MEMORY: Final = re.compile(rb"VmHWM:\s*(\d+) kB\s*VmRSS:\s*(\d+) kB")
# Version 2 and version 1 of control groups, as engines show a container its own.
_KILL_COUNTS: Final = (
    "/sys/fs/cgroup/memory.events",
    "/sys/fs/cgroup/memory/memory.oom_control",
)


class Meter:
    """CPU and memory of one child.

    Args:
        pid: The child, as seen from this process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._status = os.open(f"/proc/{pid}/status", os.O_RDONLY)
        self._statm = os.open(f"/proc/{pid}/statm", os.O_RDONLY)
        # The process-wide scheduler clock of another process, as clock_getcpuclockid(3) makes it.
        self._clock = (~pid << 3) | 2
        self._has_clock = self._try_clock()

    def _try_clock(self) -> bool:
        try:
            time.clock_gettime(self._clock)
        except OSError:  # some runtimes know only /proc
            return False
        return True

    def cpu_s(self) -> float:
        """User plus system seconds since the fork.

        Raises:
            OSError: The process is gone.
        """
        if self._has_clock:
            return time.clock_gettime(self._clock)
        with open(f"/proc/{self._pid}/stat", "rb") as stat:
            fields = stat.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def memory(self) -> tuple[int, int]:
        """Resident bytes now, and the highest ever (VmRSS, VmHWM).

        Raises:
            OSError: The process is gone.
        """
        text = os.pread(self._status, 4096, 0)
        found = _MEMORY.search(text)
        if found is None:  # a zombie has no memory
            return 0, 0
        peak, rss = (int(number) * 1024 for number in found.groups())
        return rss, max(rss, peak)

    def resident(self) -> int:
        """Resident bytes now, the cheap way.

        Raises:
            OSError: The process is gone.
        """
        return int(os.pread(self._statm, 256, 0).split()[1]) * _PAGE

    def runnable(self) -> bool:
        """Whether it wants a CPU just now, as opposed to sleeping, waiting or being stopped.

        Raises:
            OSError: The process is gone.
        """
        return _RUNNABLE.search(os.pread(self._status, 4096, 0)) is not None

    def close(self) -> None:
        """Closes the files it reads."""
        os.close(self._status)
        os.close(self._statm)


def memory_kills() -> int:
    """How often the kernel killed in this control group for want of memory, if it can be seen."""
    for path in _KILL_COUNTS:
        try:
            with open(path, "rb") as lines:
                counts = dict(line.split() for line in lines)
        except OSError:
            continue
        return int(counts.get(b"oom_kill", 0))
    return 0
