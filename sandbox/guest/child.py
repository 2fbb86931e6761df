"""The process that runs a submission: confines itself, then answers frames until it is killed."""

from __future__ import annotations

import base64
import os
import socket
import sys
import types
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sandbox import wire
from sandbox.guest import confinement
from sandbox.guest.inspection import execute, survey
from sandbox.guest.operations import Objects, describe

if TYPE_CHECKING:
    from sandbox.guest.tensors import Device

# What one frame's header may hold of observations, and all frames of one reply together.
_PART: Final = wire.MAX_HEADER - 4096
_REPLY: Final = 8 * wire.MAX_HEADER
_TOO_LARGE: Final = '["v",["o","?","observation over the limit"]]'


def live(link: int, null: int, out: int, err: int, orders: Mapping[str, Any]) -> NoReturn:
    """Becomes the child of one run; never returns.

    Args:
        link: Descriptor of the socket to the supervisor.
        null: Descriptor of /dev/null.
        out: Descriptor that becomes standard output.
        err: Descriptor that becomes standard error.
        orders: `rlimits`, `memory` (bytes of virtual memory to add, or None), `filter` and
            `device` (where tensors live, or None).
    """
    try:
        confinement.die_first()
        link = confinement.redirect(link, null, out, err)
        confinement.reset_streams()
        rlimits = dict(orders["rlimits"])
        if orders["memory"] is not None:
            rlimits["as"] = confinement.address_space() + orders["memory"]
        confinement.limit(rlimits)
        if orders["filter"] is not None:
            confinement.install_filter(base64.b64decode(orders["filter"]))
        sys.path[:] = [entry for entry in sys.path if entry != orders["guest_path"]]
        _Conversation(socket.socket(fileno=link), orders["device"]).hold()
    finally:
        os._exit(70)


class _Conversation:
    """Answers the host's frames, one reply each."""

    def __init__(self, link: socket.socket, device: str | None) -> None:
        self._link = link
        self._device = device
        self._objects: Objects | None = None

    def hold(self) -> None:
        """Answers until the link closes."""
        while (data := _receive(self._link)) is not None:
            self._answer(wire.unpack(data))
            del data

    def _answer(self, frame: wire.Frame) -> None:
        if frame.body[0] == "load":
            parts: Iterator[tuple[str, list[Any]]] = iter([(self._load(frame), [])])
        else:
            parts = self._operate(frame)
        pending = next(parts)
        for following in parts:
            self._send(frame, pending, more=True)
            pending = following
        self._send(frame, pending, more=False)

    def _send(self, frame: wire.Frame, part: tuple[str, list[Any]], *, more: bool) -> None:
        buffers = wire.pack(frame.nonce, frame.sequence, part[0], part[1], more=more)
        send(self._link, buffers)

    def _load(self, frame: wire.Frame) -> str:
        decoder = wire.Decoder(frame.payload)
        _, name, source = frame.body
        module = types.ModuleType(name)
        try:
            self._objects = Objects(module, _device(self._device))
            execute(module, decoder.decode(source))
            return wire.dumps(["v", survey(module)])
        except BaseException as error:  # SystemExit at import is a failed import
            return wire.dumps(["x", describe(error, module)])

    def _operate(self, frame: wire.Frame) -> Iterator[tuple[str, list[Any]]]:
        """Does the operations of a frame; yields body and chunks of each reply frame."""
        _, payload_limit, snapshot, segments = frame.body
        objects = self._objects
        assert objects is not None
        decoder = objects.decoder(frame.payload)
        encoder = objects.encoder(payload_limit, snapshot=snapshot)
        texts: list[str] = []
        size = total = 0
        for fresh, ops in segments:
            if fresh:
                objects.clear()
            for op in ops:
                mark = len(encoder.chunks), encoder.size
                text = objects.run(op, decoder, encoder)
                if len(text) > _PART or total + len(text) > _REPLY:
                    text = _TOO_LARGE
                    del encoder.chunks[mark[0] :]
                    encoder.size = mark[1]
                if size + len(text) > _PART:
                    early, encoder.chunks = encoder.chunks[: mark[0]], encoder.chunks[mark[0] :]
                    yield "[" + ",".join(texts) + "]", early
                    texts, size = [], 0
                texts.append(text)
                size += len(text) + 1
                total += len(text) + 1
        yield "[" + ",".join(texts) + "]", encoder.chunks


def _device(name: str | None) -> Device | None:
    if name is None:
        return None
    from sandbox.guest.tensors import Device

    return Device(name)


def _receive(link: socket.socket) -> bytearray | None:
    """One whole frame, or None at the end of the stream."""
    head = bytearray(wire.HEAD.size)
    if not _fill(link, memoryview(head)):
        return None
    header, payload, _ = wire.lengths(head, wire.MAX_PAYLOAD)
    data = bytearray(wire.HEAD.size + header + payload)
    data[: wire.HEAD.size] = head
    return data if _fill(link, memoryview(data)[wire.HEAD.size :]) else None


def _fill(link: socket.socket, view: memoryview) -> bool:
    while view:
        count = link.recv_into(view)
        if count == 0:
            return False
        view = view[count:]
    return True


def send(link: socket.socket, buffers: list[Any]) -> None:
    """Writes buffers one after the other, joining small ones."""
    small: list[Any] = []
    for buffer in buffers:
        if len(buffer) >= 1 << 16:
            if small:
                link.sendall(b"".join(small))
                small = []
            link.sendall(buffer)
        else:
            small.append(buffer)
    if small:
        link.sendall(b"".join(small))
