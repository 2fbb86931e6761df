"""The operations of a trace, and how they are written for the guest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from sandbox.wire import Encoder, Json, Value, dumps

Layout = Literal["contiguous", "strided", "reversed", "transposed"]
# A frame is closed when it has reached one of these; its last operation may go beyond.
_FULL_TEXT: Final = 512 << 10
_FULL_OPS: Final = 5000
_FULL_PAYLOAD: Final = 32 << 20
LAYOUTS: Final[tuple[Layout, ...]] = ("contiguous", "strided", "reversed", "transposed")


@dataclass(frozen=True, slots=True)
class Ref:
    """A held object, or an item inside it.

    Args:
        name: Its handle.
        path: Indices of lists and tuples, keys of dicts, from the outside in.
    """

    name: str
    path: tuple[Value, ...] = ()


Target = Ref | str


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """An array argument whose memory is laid out in a stated way.

    Args:
        array: Its values, whatever the layout.
        layout: `contiguous`; `strided`: every second cell of an array twice as wide;
            `reversed`: negative stride along the first axis; `transposed`: axes reversed in memory.
        readonly: Whether the submission sees it as read-only.
        into: Handle under which the very array is kept.
    """

    array: npt.NDArray[Any]
    layout: Layout = "contiguous"
    readonly: bool = False
    into: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class New:
    """Makes an object of the submission's class `cls` and keeps it."""

    into: str
    cls: str
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Calls a function of the submission, or a method of `on`.

    Args:
        name: Function or method.
        args: Arguments by position.
        kwargs: Arguments by name.
        on: Object whose method it is; None calls a function of the module.
        into: Handle under which the result is kept.
        quiet: Observe None instead of the value.
    """

    name: str
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)
    on: Target | None = None
    into: str | None = None
    quiet: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Get:
    """Reads a property or attribute of `on`."""

    name: str
    on: Target
    into: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Del:
    """Forgets a handle."""

    target: str


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Observes a held object again, as it is now."""

    target: Target


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """Overwrites a held array, list or dict in place.

    Args:
        target: The object.
        value: What is written.
        at: Cell, item or key; None overwrites everything.
    """

    target: Target
    value: Value
    at: Value = None


Op = New | Call | Get | Del | Read | Write


def _ref(encoder: Encoder, value: Ref, depth: int) -> Json:
    return ["ref", value.name, encoder.encode(tuple(value.path))]


def _buffer(encoder: Encoder, value: Buffer, depth: int) -> Json:
    if value.layout not in LAYOUTS:
        raise ValueError(f"layout {value.layout!r} is none of {', '.join(LAYOUTS)}")
    array = encoder.encode(np.asarray(value.array))
    return ["buf", value.layout, value.readonly, value.into, array]


EXTRA: Final[Mapping[type, Callable[[Encoder, Any, int], Json]]] = {Ref: _ref, Buffer: _buffer}


def encode_op(op: Op, encoder: Encoder) -> Json:
    """Writes one operation; raw array bytes go into the encoder.

    Raises:
        EncodeError: An argument is of a type that cannot cross.
    """
    encode = encoder.encode
    match op:
        case Call():
            # Long traces are calls without arguments on a handle: what is absent costs nothing.
            args = encode(tuple(op.args)) if op.args else None
            kwargs = encode(dict(op.kwargs)) if op.kwargs else None
            if op.on is None or type(op.on) is str:
                how, on = ("module", None) if op.on is None else ("handle", op.on)
            else:
                how, on = "object", encode(op.on)
            return ["call", op.name, args, kwargs, how, on, op.into, op.quiet]
        case New():
            return ["new", op.into, op.cls, encode(tuple(op.args)), encode(dict(op.kwargs))]
        case Get():
            return ["get", op.name, encode(_as_ref(op.on)), op.into]
        case Del():
            return ["del", op.target]
        case Read():
            return ["read", encode(_as_ref(op.target))]
        case Write():
            target, value = encode(_as_ref(op.target)), encode(op.value)
            return ["write", target, value, encode(op.at)]


def _as_ref(target: Target) -> Ref:
    return Ref(target) if isinstance(target, str) else target


class _Packet:
    """The operations of one frame, as they are collected."""

    def __init__(self) -> None:
        self.count = 0
        self._encoder = Encoder(strict=True, extra=EXTRA)
        self._segments: list[list[str]] = []
        self._size = 0

    @property
    def full(self) -> bool:
        return (
            self._size >= _FULL_TEXT
            or self.count >= _FULL_OPS
            or self._encoder.size >= _FULL_PAYLOAD
        )

    def open(self, *, fresh: bool) -> None:
        self._segments.append(["true" if fresh else "false"])

    def add(self, op: Op) -> None:
        text = dumps(encode_op(op, self._encoder))
        self._segments[-1].append(text)
        self._size += len(text) + 1
        self.count += 1

    def close(self) -> tuple[str, list[Any], int]:
        texts = (f"[{segment[0]},[{','.join(segment[1:])}]]" for segment in self._segments)
        return f"[{','.join(texts)}]", self._encoder.chunks, self.count


def packed(
    segments: Iterable[tuple[bool, Sequence[Op]]],
) -> Iterator[tuple[str, list[Any], int]]:
    """Cuts traces into frames.

    Args:
        segments: Traces; True where a trace begins without the handles of the one before.

    Yields:
        For each frame the segments as JSON, the raw chunks, and the number of operations.

    Raises:
        EncodeError: An argument is of a type that cannot cross.
    """
    packet = _Packet()
    for fresh, ops in segments:
        packet.open(fresh=fresh)
        for op in ops:
            if packet.full:
                yield packet.close()
                packet = _Packet()
                packet.open(fresh=False)
            packet.add(op)
    yield packet.close()
