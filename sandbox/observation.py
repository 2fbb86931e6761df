"""What the sandbox reports, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sandbox import wire
from sandbox.outcome import Outcome
from sandbox.wire import Json, ProtocolError, Value


class Kind(StrEnum):
    """How an operation came out."""

    VALUE = "value"
    RAISED = "raised"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Reading:
    """Measurements of one exchange, taken by the supervisor.

    Args:
        cpu_s: User plus system seconds of the submission's process.
        wall_s: Seconds from request to reply.
        rss_before: Resident bytes before the exchange plus the bytes that were sent in it.
        peak: Highest resident bytes of the process up to the end of the exchange.
        rss_fork: Resident bytes just after the fork.
    """

    cpu_s: float
    wall_s: float
    rss_before: int
    peak: int
    rss_fork: int

    @property
    def growth(self) -> int:
        """Upper bound of the memory that the exchange took, in bytes."""
        return max(0, self.peak - self.rss_before)


@dataclass(frozen=True, slots=True)
class FrameLine:
    """One traceback entry inside the submission."""

    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception of the submission.

    Args:
        type_name: Last part of the class's name.
        ancestry: Its class and that one's bases: `builtins.X`, `submission.X` or `other.module.X`.
        message: Its text, cut.
        frames: Where in the submission, outermost first.
    """

    type_name: str
    ancestry: tuple[str, ...]
    message: str
    frames: tuple[FrameLine, ...]

    def is_a(self, name: str) -> bool:
        """Whether it is, or derives from, a class.

        Args:
            name: `ValueError` for a built-in, `submission.OutOfBlocks` for a class of the file.
        """
        return (name if "." in name else f"builtins.{name}") in self.ancestry


@dataclass(frozen=True, slots=True)
class Observation:
    """What one operation did.

    Args:
        kind: How it came out.
        value: The value, where there is one.
        raised: The exception, where there is one.
        note: Why the operation was refused.
        reading: Measurements, for lock-step calls.
    """

    kind: Kind
    value: Value = None
    raised: Raised | None = None
    note: str = ""
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class TraceResult:
    """What a trace did."""

    observations: tuple[Observation, ...]
    reading: Reading


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature; `kind` as in `inspect`, in lower case."""

    name: str
    kind: str
    has_default: bool


@dataclass(frozen=True, slots=True)
class NameInfo:
    """What a name of the submission stands for.

    Args:
        kind: `class`, `function`, `property`, `module` or `value`.
        ancestry: For classes, as in `Raised`.
        parameters: Of a function or of a class's constructor, where they can be known.
        members: Public members of a class.
    """

    kind: str
    ancestry: tuple[str, ...]
    parameters: tuple[Parameter, ...] | None
    members: Mapping[str, NameInfo]


@dataclass(frozen=True, slots=True)
class LoadResult:
    """How the import went.

    Args:
        raised: Why it failed.
        names: Public top-level names.
        reading: Measurements of the import.
    """

    raised: Raised | None
    names: Mapping[str, NameInfo]
    reading: Reading

    @property
    def ok(self) -> bool:
        """Whether the submission could be imported."""
        return self.raised is None


@dataclass(frozen=True, slots=True)
class RunReport:
    """The whole run, after its end.

    Args:
        outcome: What ended it before its time, or None.
        detail: One line on how.
        cpu_s: User plus system seconds.
        peak: Highest resident bytes.
        stdout: What was printed, cut.
        stderr: Likewise.
        output_cut: Whether anything was cut off.
    """

    outcome: Outcome | None
    detail: str
    cpu_s: float
    peak: int
    stdout: str
    stderr: str
    output_cut: bool


_NONE: Final = Observation(Kind.VALUE)


def decode_observation(item: Json, decoder: wire.Decoder) -> Observation:
    """Reads what the guest says of one operation.

    Raises:
        ProtocolError: It is malformed.
    """
    if type(item) is not list or len(item) != 2:
        raise ProtocolError("malformed observation")
    kind, content = item
    if kind == "v":
        if content is None:
            return _NONE
        return Observation(Kind.VALUE, decoder.decode(content))
    if kind == "x":
        return Observation(Kind.RAISED, raised=decode_raised(content))
    if kind == "n":
        return Observation(Kind.REFUSED, note=_text(content, 4000))
    raise ProtocolError("malformed observation")


def decode_raised(item: Json) -> Raised:
    """Reads an exception.

    Raises:
        ProtocolError: It is malformed.
    """
    type_name, mro, message, frames = _fields(item, 4)
    lines = [_fields(frame, 2) for frame in _items(frames, 64)]
    return Raised(
        _text(type_name, wire.OPAQUE_CHARS),
        tuple(_text(name, wire.OPAQUE_CHARS) for name in _items(mro, 64)),
        _text(message, 4000),
        tuple(FrameLine(_line(line), _text(name, wire.OPAQUE_CHARS)) for line, name in lines),
    )


def decode_load(item: Json) -> tuple[Raised | None, Mapping[str, NameInfo]]:
    """Reads the answer to an import.

    Raises:
        ProtocolError: It is malformed.
    """
    kind, content = _fields(item, 2)
    if kind == "x":
        return decode_raised(content), {}
    if kind == "v":
        return None, _names(content, nested=True)
    raise ProtocolError("malformed answer to an import")


def _names(item: Json, *, nested: bool) -> Mapping[str, NameInfo]:
    entries = [_fields(entry, 5) for entry in _items(item, 500)]
    return {_text(name, 400): _name(rest, nested=nested) for name, *rest in entries}


def _name(rest: list[Any], *, nested: bool) -> NameInfo:
    kind, mro, parameters, members = rest
    return NameInfo(
        _text(kind, 20),
        tuple(_text(name, wire.OPAQUE_CHARS) for name in _items(mro, 64)),
        None if parameters is None else tuple(map(_parameter, _items(parameters, 64))),
        _names(members, nested=False) if nested else {},
    )


def _parameter(item: Json) -> Parameter:
    name, kind, has_default = _fields(item, 3)
    if type(has_default) is not bool:
        raise ProtocolError("malformed parameter")
    return Parameter(_text(name, wire.OPAQUE_CHARS), _text(kind, 40), has_default)


def _fields(item: Json, count: int) -> list[Any]:
    if type(item) is not list or len(item) != count:
        raise ProtocolError("malformed record")
    return item


def _items(item: Json, most: int) -> list[Any]:
    if type(item) is not list or len(item) > most:
        raise ProtocolError("malformed list")
    return item


def _text(item: Json, most: int) -> str:
    if type(item) is not str or len(item) > most:
        raise ProtocolError("malformed text")
    try:
        item.encode("utf-8")
    except UnicodeEncodeError:
        raise ProtocolError("text with surrogates") from None
    return item


def _line(item: Json) -> int:
    if type(item) is not int or not 0 <= item < 1 << 31:
        raise ProtocolError("malformed line number")
    return item
