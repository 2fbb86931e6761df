"""The little of HTTP/1.1 that the server speaks: keep-alive, Content-Length, no pipelining."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Protocol

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}


class Handler(Protocol):
    """Whatever answers requests."""

    def handle(self, connection: "Connection", method: str, path: str, body: bytes) -> None:
        """Answers at once or later through ``connection.send``."""

    def left(self, connection: "Connection") -> None:
        """The client closed the connection."""


class Connection(asyncio.Protocol):
    """One client connection."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._buffer = b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the loop."""
        self.transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Called by the loop."""
        self.transport = None
        self._handler.left(self)

    def data_received(self, data: bytes) -> None:
        """Collects a whole request, then hands it over."""
        self._buffer += data
        head, mark, rest = self._buffer.partition(b"\r\n\r\n")
        if not mark:
            return
        length = _content_length(head)
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        method, path, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        self._handler.handle(self, method, path, rest[:length])

    def send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Writes one whole response."""
        self.write(head_of(status, len(body), headers) + body)

    def write(self, data: bytes) -> None:
        """Writes raw bytes, if the client is still there."""
        if self.transport is not None:
            self.transport.write(data)

    def abort(self) -> None:
        """Drops the connection with a reset."""
        if self.transport is not None:
            self.transport.abort()


def head_of(status: int, length: int, headers: Mapping[str, str] | None = None) -> bytes:
    """Status line and headers of a JSON response of ``length`` bytes."""
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def dumps(value: Any) -> bytes:
    """Compact JSON bytes."""
    return json.dumps(value, separators=(",", ":")).encode()


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0
