"""The host's end of the stream to a supervisor."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sandbox.backends.base import HostLink
from sandbox.errors import InfraError
from sandbox.stream import CHUNK, DATA, MAX_REPLY_HEADERS, RECORD, REPORT, REQUEST
from sandbox.wire import HEAD, ProtocolError

_GRACE_S: Final = 10.0
_MAX_REPORT: Final = 1 << 20
_MAX_HEADS: Final = 64 * HEAD.size
_NUMBERS: Final = ("cpu", "cpu_total", "wall", "rss_before", "peak", "rss_fork")


class Channel:
    """Asks a supervisor and takes its reports.

    Args:
        link: The stream.
        confined: Whether children are to confine themselves; False only for trusted code.
        hello_s: Seconds within which the supervisor must have said what it is.

    Raises:
        InfraError: It did not.
    """

    def __init__(self, link: HostLink, *, confined: bool = True, hello_s: float = 30.0) -> None:
        self._link = link
        self.confined = confined
        self._deadline = time.monotonic() + hello_s
        try:
            _, hello = self._reply(0)
        except ProtocolError as error:
            raise InfraError(f"the supervisor did not start: {error}") from error
        self.machine = str(hello.get("machine"))
        self.versions = {name: str(hello.get(name)) for name in ("python", "numpy")}

    def ask(self, control: Mapping[str, Any]) -> Mapping[str, Any]:
        """Sends a control without a frame; gives the report.

        Raises:
            InfraError: The supervisor is gone.
            ProtocolError: It does not speak our language.
        """
        self._deadline = time.monotonic() + _GRACE_S
        self._request(control, [])
        report = self._reply(0)[1]
        return _checked(report) if control["do"] == "stop" else report

    def exchange(
        self, buffers: Sequence[Any], payload_limit: int, wall_s: float
    ) -> tuple[bytearray, Mapping[str, Any]]:
        """Sends a frame to the child; gives its reply, undecoded, and the supervisor's report.

        Args:
            buffers: The frame.
            payload_limit: Bytes of raw arrays that may come back.
            wall_s: Seconds after which the supervisor ends the run; we wait a little longer.

        Raises:
            InfraError: The supervisor is gone or does not answer.
            ProtocolError: It does not speak our language.
        """
        self._deadline = time.monotonic() + wall_s + _GRACE_S
        self._request({"do": "exchange", "payload_limit": payload_limit}, buffers)
        data, report = self._reply(payload_limit + MAX_REPLY_HEADERS + _MAX_HEADS)
        return data, _checked(report)

    def close(self) -> None:
        """Hangs up."""
        self._link.close()

    def _request(self, control: Mapping[str, Any], buffers: Sequence[Any]) -> None:
        text = json.dumps(control).encode("ascii")
        self._send(REQUEST.pack(len(text), sum(map(len, buffers))) + text, buffers)

    def _send(self, first: bytes, buffers: Sequence[Any]) -> None:
        """Writes everything, joining what is small."""
        small = [first]
        try:
            self._link.settimeout(self._left())
            for buffer in buffers:
                if len(buffer) >= 1 << 16:
                    self._link.sendall(b"".join(small))
                    self._link.sendall(buffer)
                    small = []
                else:
                    small.append(buffer)
            self._link.sendall(b"".join(small))
        except OSError as error:
            raise InfraError(f"the sandbox is gone: {error}") from error

    def _reply(self, most: int) -> tuple[bytearray, Mapping[str, Any]]:
        """Collects DATA records up to a REPORT."""
        data = bytearray()
        head = bytearray(RECORD.size)
        while True:
            self._fill(memoryview(head))
            kind, size = RECORD.unpack(head)
            if kind == REPORT and size <= _MAX_REPORT:
                return data, self._report(size)
            if kind != DATA or size > CHUNK or len(data) + size > most:
                raise ProtocolError("malformed record")
            start = len(data)
            data += bytes(size)
            self._fill(memoryview(data)[start:])

    def _report(self, size: int) -> Mapping[str, Any]:
        raw = bytearray(size)
        self._fill(memoryview(raw))
        try:
            report = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise ProtocolError("malformed report") from error
        if type(report) is not dict:
            raise ProtocolError("malformed report")
        return report

    def _fill(self, view: memoryview) -> None:
        while view:
            try:
                self._link.settimeout(self._left())
                count = self._link.recv_into(view)
            except OSError as error:
                raise InfraError(f"the sandbox does not answer: {error}") from error
            if count == 0:
                raise InfraError("the sandbox is gone")
            view = view[count:]

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise InfraError("the sandbox does not answer in time")
        return left


def _checked(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """Asserts what the rest of the host relies on."""
    end = report.get("end")
    numbers = all(type(report.get(name)) in (int, float) for name in _NUMBERS)
    ended = end is None or (
        type(end) is list and len(end) == 2 and all(type(text) is str for text in end)
    )
    if not (numbers and ended):
        raise ProtocolError("malformed report")
    return report
