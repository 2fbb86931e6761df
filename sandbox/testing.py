"""Runs code that the caller wrote, without any confinement: for unit tests and author tooling.

The worker, the wire and the measurements are the real ones; only the walls are missing. Never
give it a submission: it runs with the rights of whoever calls it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sandbox.box import Box
from sandbox.limits import Limits
from sandbox.pool import Pool

_MAIN = Path(__file__).resolve().parent / "guest" / "main.py"


class _TrustedProcess:
    """A supervisor as a plain subprocess."""

    counts_processes = False

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.link = ours
        environment = {
            **os.environ,
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-u", str(_MAIN), "--fd", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        theirs.close()

    def memory_kills(self) -> int:
        return 0

    def complaint(self) -> str:
        return ""

    def destroy(self) -> None:
        self.link.close()
        self._process.wait(30)


class _TrustedBackend:
    """Starts supervisors without walls."""

    name = "trusted"
    accounting = "none"

    def image_digest(self) -> str:
        return "none: the caller's own interpreter"

    def start(self, limits: Limits) -> _TrustedProcess:
        return _TrustedProcess()

    def reap(self) -> int:
        return 0

    def close(self) -> None:
        pass


@contextmanager
def trusted_box(limits: Limits | None = None) -> Iterator[Box]:
    """A box without walls, for trusted code only.

    Args:
        limits: The most that a run in it may use.
    """
    with Box(_TrustedProcess(), limits or Limits(), confined=False) as box:
        yield box


@contextmanager
def trusted_pool(*, size: int = 0, limits: Limits | None = None) -> Iterator[Pool]:
    """A pool of boxes without walls, for trusted code only; it has no proofs.

    Args:
        size: Started boxes kept ready.
        limits: The most that a run may use.
    """
    box = partial(Box, confined=False)
    with Pool(_TrustedBackend(), size=size, limits=limits, box=box) as pool:
        yield pool
