"""PID 1 of a sandbox: serves the host, one run after the other.

No submitted code ever runs in this process. What it tells the host besides the child's frames
(records of kind REPORT) is therefore to be believed; the child's frames (kind DATA) are not.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping
from typing import Any, Final, Protocol

import numpy as np

from sandbox.guest.run import Run
from sandbox.stream import CHUNK, RECORD, REPORT, REQUEST

_HOLD: Final = 1 << 16


class Link(Protocol):
    """The byte stream to the host."""

    def recv(self, size: int, /) -> bytes:
        """At most `size` bytes; empty at the end of the stream."""

    def sendall(self, data: Any, /) -> None:
        """Writes all of it."""

    def fileno(self) -> int:
        """Descriptor to poll for the end of the stream."""


class HostGone(Exception):  # noqa: N818  the ordinary end
    """The host hung up."""


class Host:
    """The host's end of the link, with its framing.

    Args:
        link: The stream.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._held: list[bytes] = []
        self._size = 0

    def fileno(self) -> int:
        """Descriptor to poll for the end of the stream."""
        return self._link.fileno()

    def receive(self, most: int) -> bytes:
        """Between 1 and `most` bytes.

        Raises:
            HostGone: The stream ended.
        """
        data = self._link.recv(min(most, CHUNK))
        if not data:
            raise HostGone
        return data

    def receive_exactly(self, size: int) -> bytes:
        """Exactly `size` bytes.

        Raises:
            HostGone: The stream ended.
        """
        data = self.receive(size) if size else b""
        while len(data) < size:
            data += self.receive(size - len(data))
        return data

    def send(self, kind: int, data: bytes) -> None:
        """Sends one record; small ones wait for the report, so that the host wakes up once."""
        self._held += [RECORD.pack(kind, len(data)), data]
        self._size += len(data)
        if kind == REPORT or self._size > _HOLD:
            self._link.sendall(b"".join(self._held))
            self._held.clear()
            self._size = 0


def serve(link: Link, guest_path: str) -> None:
    """Serves one host until it hangs up.

    Args:
        link: The stream to the host.
        guest_path: Directory from which this package was imported; hidden from submissions.
    """
    host = Host(link)
    null = os.open("/dev/null", os.O_RDWR)
    _report(host, _hello())
    run: Run | None = None
    try:
        while True:
            control_size, frame_size = REQUEST.unpack(host.receive_exactly(REQUEST.size))
            control = json.loads(host.receive_exactly(control_size))
            if control["do"] == "start":
                run = Run(host, null, {**control, "guest_path": guest_path})
                _report(host, run.begun())
            elif run is not None and control["do"] == "exchange":
                _report(host, run.exchange(control["payload_limit"], frame_size))
            elif run is not None and control["do"] == "stop":
                _report(host, run.stop())
                run = None
    except HostGone:
        return


def _hello() -> Mapping[str, Any]:
    return {
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "machine": platform.machine(),
        "pid": os.getpid(),
    }


def _report(host: Host, report: Mapping[str, Any]) -> None:
    host.send(REPORT, json.dumps(report).encode("ascii"))
