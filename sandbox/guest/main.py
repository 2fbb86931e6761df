"""Starts the supervisor: `python main.py --fd N | --unix PATH | --stdio`.

Run as a file by an interpreter that was started with `-P -s` and an environment that the host
made: that isolates as `-I` does, but keeps the fixed hash seed of the environment, without which
a submission's sets of strings would change their order from one sandbox to the next.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

GUEST_PATH = str(Path(__file__).resolve().parents[2])
sys.path.insert(0, GUEST_PATH)

from sandbox.guest import confinement, supervisor  # noqa: E402


class Stdio:
    """Standard input and output as one link, moved out of the way of what children print."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        null = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)

    def recv(self, size: int, /) -> bytes:
        """At most `size` bytes; empty at the end of the stream."""
        return os.read(self._in, size)

    def sendall(self, data: Any, /) -> None:
        """Writes all of it."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]

    def fileno(self) -> int:
        """Descriptor to poll for the end of the stream."""
        return self._in


def _link(arguments: list[str]) -> supervisor.Link:
    if arguments[0] == "--fd":
        return socket.socket(fileno=int(arguments[1]))
    if arguments[0] == "--unix":
        link = socket.socket(socket.AF_UNIX)
        link.connect(arguments[1])
        return link
    return Stdio()


def main() -> None:
    """Serves until the host hangs up, then leaves without clean-up."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    confinement.hide()
    if preload := os.environ.get("SANDBOX_PRELOAD"):  # set by the image
        importlib.import_module(preload)
    link = _link(sys.argv[1:])
    gc.collect()
    gc.freeze()
    supervisor.serve(link, GUEST_PATH)
    os._exit(0)


if __name__ == "__main__":
    main()
