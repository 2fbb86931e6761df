"""Frames and values as they cross between host and guest; used by both sides.

A frame is `magic, header length, payload length, flags` (four little-endian u32), a JSON header
`[nonce, sequence, body]` and the raw bytes of arrays, in the order in which the header names
them, each padded to 16 bytes.

Values are encoded canonically by exact type: JSON null, booleans, strings, finite floats and
integers up to 2**53 stand for themselves, everything else is a tagged list, so that a JSON list
whose first item is not a known tag is an error. Nothing is ever unpickled or evaluated.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

MAGIC: Final = 0x31445247
MAX_HEADER: Final = 1 << 20
MAX_PAYLOAD: Final = 128 << 20
MAX_DEPTH: Final = 32
MAX_HEX_DIGITS: Final = 4096
MAX_NDIM: Final = 32
MORE: Final = 1
HEAD: Final = struct.Struct("<IIII")
ALIGN: Final = 16
OPAQUE_CHARS: Final = 200

_SAFE: Final = 1 << 53
_DTYPES: Final[Mapping[str, np.dtype[Any]]] = {
    np.dtype(name).str: np.dtype(name)
    for name in (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
        "float16 float32 float64 complex64 complex128"
    ).split()
}
_SCALARS: Final = {dtype.type: dtype for dtype in _DTYPES.values()}

Json = Any
Value = Any


class ProtocolError(Exception):
    """A frame that no honest worker sends. The only exception that decoding raises."""


class EncodeError(ValueError):
    """A value of our own side that cannot cross; a programming error of the caller."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """Stands for a value that has no exact encoding: only the name of its type crosses.

    Args:
        type_name: Qualified name of the type, as the guest states it.
        note: Why the value did not cross, where the type alone would have allowed it.
    """

    type_name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One decoded frame; the body is still in JSON form."""

    nonce: str
    sequence: int
    body: Json
    payload: memoryview
    more: bool


def pack(
    nonce: str, sequence: int, body: str, chunks: list[Any], *, more: bool = False
) -> list[Any]:
    """Lays out a frame.

    Args:
        nonce: Hexadecimal text of the request.
        sequence: Number of the request.
        body: The body as JSON text.
        chunks: What `Encoder.chunks` holds.
        more: Whether another frame of the same reply follows.

    Returns:
        Buffers to be written one after the other.

    Raises:
        EncodeError: Header or payload is over its limit.
    """
    header = f'["{nonce}",{sequence},{body}]'.encode("ascii")
    header += b" " * (-len(header) % ALIGN)
    payload = sum(map(len, chunks))
    if len(header) > MAX_HEADER or payload > MAX_PAYLOAD:
        raise EncodeError(f"frame of {len(header)} + {payload} bytes is over the limit")
    return [HEAD.pack(MAGIC, len(header), payload, MORE if more else 0), header, *chunks]


def lengths(head: bytes | bytearray | memoryview, payload_limit: int) -> tuple[int, int, bool]:
    """Reads a frame's head.

    Args:
        head: The first 16 bytes of a frame.
        payload_limit: Largest payload, in bytes, that the reader is ready for.

    Returns:
        Header length, payload length, whether another frame follows.

    Raises:
        ProtocolError: The head is malformed or announces more than is allowed.
    """
    if len(head) != HEAD.size:
        raise ProtocolError("truncated frame head")
    magic, header, payload, flags = HEAD.unpack(head)
    if magic != MAGIC or flags & ~MORE:
        raise ProtocolError("not a frame")
    if header > MAX_HEADER:
        raise ProtocolError(f"header of {header} bytes is over {MAX_HEADER}")
    if payload > min(payload_limit, MAX_PAYLOAD):
        raise ProtocolError(f"payload of {payload} bytes is over {payload_limit}")
    return header, payload, bool(flags & MORE)


def unpack(data: bytes | bytearray | memoryview, payload_limit: int = MAX_PAYLOAD) -> Frame:
    """Decodes exactly one frame.

    Raises:
        ProtocolError: Anything at all is wrong with it.
    """
    view = memoryview(data)
    header, payload, more = lengths(view[: HEAD.size], payload_limit)
    if len(view) != HEAD.size + header + payload:
        raise ProtocolError("frame length does not match its head")
    parsed = _parse(view[HEAD.size : HEAD.size + header])
    if type(parsed) is not list or len(parsed) != 3:
        raise ProtocolError("header is not [nonce, sequence, body]")
    nonce, sequence, body = parsed
    if type(nonce) is not str or type(sequence) is not int:
        raise ProtocolError("nonce or sequence of the wrong type")
    return Frame(nonce, sequence, body, view[HEAD.size + header :], more)


def _parse(header: memoryview) -> Json:
    """Parses JSON, turning every way in which that can fail into a protocol error."""
    try:
        return _loads(bytes(header).decode("ascii"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise ProtocolError(f"header is not JSON: {type(error).__name__}") from None


def _no_constant(name: str) -> Json:
    raise ProtocolError(f"bare {name} in a header")


_loads: Final[Callable[[str], Json]] = json.JSONDecoder(parse_constant=_no_constant).decode
dumps: Final[Callable[[Json], str]] = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=True, check_circular=False, allow_nan=False
).encode


class Encoder:
    """Turns values into JSON and raw chunks.

    Args:
        payload_limit: Bytes of raw data this encoder may collect.
        strict: Raise for values without exact encoding instead of sending `Opaque`.
        snapshot: Copy array bytes at once; False leaves large arrays in place, for a frame that
            is written before anything can change them.
        extra: Further types and how to encode them.
    """

    def __init__(
        self,
        payload_limit: int = MAX_PAYLOAD,
        *,
        strict: bool = False,
        snapshot: bool = True,
        extra: Mapping[type, Callable[[Encoder, Any, int], Json]] | None = None,
    ) -> None:
        self.chunks: list[Any] = []
        self.size = 0
        self._limit = payload_limit
        self._strict = strict
        self._snapshot = snapshot
        self._by_type = {**_ENCODERS, **extra} if extra else _ENCODERS

    def encode(self, value: Value, depth: int = 0) -> Json:
        """Encodes one value; containers within count from `depth`."""
        kind = type(value)
        if kind is int:
            return value if -_SAFE <= value <= _SAFE else self._big_int(value)
        if value is None or kind is bool:
            return value
        encoder = self._by_type.get(kind)
        if encoder is None:
            return self.opaque(value, "")
        return encoder(self, value, depth)

    def opaque(self, value: Value, note: str) -> Json:
        """What is sent for a value that cannot cross."""
        kind = type(value)
        if self._strict:
            raise EncodeError(f"a {kind.__qualname__} cannot cross ({note or 'type not allowed'})")
        return _opaque_json(Opaque(type_name(kind), note))

    def _big_int(self, value: int) -> Json:
        if value.bit_length() > 4 * MAX_HEX_DIGITS:
            return self.opaque(value, f"over {MAX_HEX_DIGITS} hexadecimal digits")
        return ["i", format(value, "x")]

    def _float(self, value: float, depth: int) -> Json:
        return value if math.isfinite(value) else ["f", struct.pack(">d", value).hex()]

    def _str(self, value: str, depth: int) -> Json:
        if value.isascii() or _encodable(value):
            return value
        return ["u", value.encode("utf-8", "surrogatepass").hex()]

    def _bytes(self, value: bytes, depth: int) -> Json:
        if not self._room(len(value)):
            return self.opaque(value, "payload over the limit")
        self._add(value)
        return ["b", len(value)]

    def _sequence(self, value: list[Value] | tuple[Value, ...], depth: int) -> Json:
        if depth >= MAX_DEPTH:
            return self.opaque(value, f"deeper than {MAX_DEPTH}")
        encode, inner = self.encode, depth + 1
        return [
            "l" if type(value) is list else "t",
            *[encode(item, inner) for item in value],
        ]

    def _dict(self, value: dict[Value, Value], depth: int) -> Json:
        if depth >= MAX_DEPTH:
            return self.opaque(value, f"deeper than {MAX_DEPTH}")
        if not all(map(_exact_key, value)):
            return self.opaque(value, "key without exact encoding")
        out: list[Json] = ["d"]
        for key, item in value.items():
            out.append(self.encode(key, depth + 1))
            out.append(self.encode(item, depth + 1))
        return out

    def _array(self, value: npt.NDArray[Any], depth: int) -> Json:
        dtype = value.dtype
        if _DTYPES.get(dtype.str) != dtype or dtype.metadata:
            return self.opaque(value, f"dtype {str(dtype)[:80]}")
        if value.ndim > MAX_NDIM:
            return self.opaque(value, f"more than {MAX_NDIM} dimensions")
        if not self._room(value.nbytes):
            return self.opaque(value, "payload over the limit")
        if self._snapshot or value.nbytes < _LARGE:
            self._add(value.tobytes())
        else:
            self._add(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
        return ["a", dtype.str, *value.shape]

    def _scalar(self, value: np.generic, depth: int) -> Json:
        return ["s", _SCALARS[type(value)].str, value.tobytes().hex()]

    def _opaque(self, value: Opaque, depth: int) -> Json:
        return _opaque_json(value)

    def _room(self, size: int) -> bool:
        return self.size + size + -size % ALIGN <= self._limit

    def _add(self, data: Any) -> None:
        padding = -len(data) % ALIGN
        self.chunks.append(data)
        if padding:
            self.chunks.append(_PADDING[padding])
        self.size += len(data) + padding


_LARGE: Final = 1 << 16
_PADDING: Final = tuple(bytes(n) for n in range(ALIGN))
_ENCODERS: Final[Mapping[type, Callable[[Encoder, Any, int], Json]]] = {
    float: Encoder._float,
    str: Encoder._str,
    bytes: Encoder._bytes,
    list: Encoder._sequence,
    tuple: Encoder._sequence,
    dict: Encoder._dict,
    np.ndarray: Encoder._array,
    Opaque: Encoder._opaque,
    **dict.fromkeys(_SCALARS, Encoder._scalar),
}
_KEY_TYPES: Final = frozenset({int, bool, float, str, bytes, type(None), *_SCALARS})


def type_name(kind: type) -> str:
    """Qualified name of a type, cut to a length that may cross; never raises."""
    try:
        return f"{kind.__module__}.{kind.__qualname__}"[:OPAQUE_CHARS]
    except Exception:  # a metaclass of the submission may define these as it likes
        return "?"


def _opaque_json(value: Opaque) -> Json:
    return ["o", _plain(value.type_name), _plain(value.note)]


def _plain(text: str) -> str:
    return text[:OPAQUE_CHARS].encode("utf-8", "replace").decode("utf-8")


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _exact_key(key: Value) -> bool:
    """Whether a dict's key keeps its identity when it crosses."""
    if type(key) is int:
        return key.bit_length() <= 4 * MAX_HEX_DIGITS
    return type(key) in _KEY_TYPES or (type(key) is tuple and all(map(_exact_key, key)))


Reader = Callable[["Decoder", list[Json], int], Value]


class Decoder:
    """Turns JSON and raw bytes back into values.

    Arrays are views of the payload, which belongs to this frame alone: read-only ones over
    `bytes`-like payloads that are read-only, else writable.

    Args:
        payload: The raw bytes of the frame.
        extra: Further tags and how to decode them.
    """

    def __init__(
        self,
        payload: memoryview,
        extra: Mapping[str, Callable[[Decoder, list[Json], int], Value]] | None = None,
    ) -> None:
        self._payload = payload
        self._at = 0
        self._by_tag = {**_DECODERS, **extra} if extra else _DECODERS

    def decode(self, value: Json, depth: int = 0) -> Value:
        """Decodes one value.

        Raises:
            ProtocolError: It is not in canonical form, or claims bytes that are not there.
        """
        kind = type(value)
        if kind is int:
            if -_SAFE <= value <= _SAFE:
                return value
            raise ProtocolError("bare integer out of range")
        if value is None or kind is bool:
            return value
        if kind is str:
            return self._text(value)
        if kind is float:
            if math.isfinite(value):
                return value
            raise ProtocolError("bare float out of range")
        if kind is not list or not value or type(value[0]) is not str:
            raise ProtocolError("untagged container")
        decoder = self._by_tag.get(value[0])
        if decoder is None:
            raise ProtocolError("unknown tag")
        return decoder(self, value, depth)

    def finish(self) -> None:
        """Asserts that the payload was used up.

        Raises:
            ProtocolError: Bytes are left over.
        """
        if self._at != len(self._payload):
            raise ProtocolError("surplus payload")

    def take(self, size: int) -> memoryview:
        """Takes the next `size` raw bytes, and their padding.

        Raises:
            ProtocolError: The payload is shorter.
        """
        end = self._at + size
        padded = end + -end % ALIGN
        if padded > len(self._payload):
            raise ProtocolError("payload shorter than announced")
        data = self._payload[self._at : end]
        self._at = padded
        return data

    @staticmethod
    def _text(value: str) -> str:
        if value.isascii() or _encodable(value):
            return value
        raise ProtocolError("bare text with surrogates")

    def _big_int(self, value: list[Json], depth: int) -> int:
        text = _one_text(value, MAX_HEX_DIGITS + 1)
        digits = text[1:] if text[:1] == "-" else text
        if not digits or digits[0] == "0" or set(digits) - _HEX:
            raise ProtocolError("malformed integer")
        number = int(text, 16)
        if -_SAFE <= number <= _SAFE or len(digits) > MAX_HEX_DIGITS:
            raise ProtocolError("integer not in canonical form")
        return number

    def _float(self, value: list[Json], depth: int) -> float:
        number: float = struct.unpack(">d", _hex(_one_text(value, 16), 8))[0]
        if math.isfinite(number):
            raise ProtocolError("finite float under a tag")
        return number

    def _surrogates(self, value: list[Json], depth: int) -> str:
        text = _one_text(value, MAX_HEADER)
        try:
            decoded = _hex(text, len(text) // 2).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise ProtocolError("malformed text") from None
        if _encodable(decoded):
            raise ProtocolError("text not in canonical form")
        return decoded

    def _bytes(self, value: list[Json], depth: int) -> bytes:
        return bytes(self.take(_sizes(value[1:], 1)[0]))

    def _list(self, value: list[Json], depth: int) -> list[Value]:
        inner = _deeper(depth)
        decode = self.decode
        return [decode(value[i], inner) for i in range(1, len(value))]

    def _tuple(self, value: list[Json], depth: int) -> tuple[Value, ...]:
        return tuple(self._list(value, depth))

    def _dict(self, value: list[Json], depth: int) -> dict[Value, Value]:
        items = self._list(value, depth)
        if len(items) % 2:
            raise ProtocolError("dict with a key and no value")
        keys = items[::2]
        if not all(map(_exact_key, keys)):
            raise ProtocolError("dict with a key that is not exact")
        out = dict(zip(keys, items[1::2], strict=True))
        if len(out) != len(keys):
            raise ProtocolError("dict with a key twice")
        return out

    def array(self, value: list[Json], depth: int) -> npt.NDArray[Any]:
        """Decodes an `["a", dtype, *shape]`.

        Raises:
            ProtocolError: It is malformed, or claims bytes that are not there.
        """
        if len(value) < 2:
            raise ProtocolError("array without dtype")
        dtype = _dtype(value[1])
        if len(value) - 2 > MAX_NDIM:
            raise ProtocolError(f"array of more than {MAX_NDIM} dimensions")
        shape = _sizes(value[2:], len(value) - 2)
        count = math.prod(shape)
        raw = self.take(count * dtype.itemsize)
        if dtype.kind == "b" and count and int(np.frombuffer(raw, np.uint8).max()) > 1:
            raise ProtocolError("boolean array with other bytes than 0 and 1")
        try:
            return np.frombuffer(raw, dtype, count).reshape(shape)
        except ValueError:
            raise ProtocolError("impossible array shape") from None

    def _scalar(self, value: list[Json], depth: int) -> np.generic:
        if len(value) != 3:
            raise ProtocolError("malformed scalar")
        dtype = _dtype(value[1])
        raw = _hex(value[2], dtype.itemsize)
        if dtype.kind == "b" and raw[0] > 1:
            raise ProtocolError("boolean with another byte than 0 and 1")
        scalar: np.generic = np.frombuffer(raw, dtype)[0]
        return scalar

    def _opaque(self, value: list[Json], depth: int) -> Opaque:
        if len(value) != 3 or not all(type(x) is str and len(x) <= OPAQUE_CHARS for x in value[1:]):
            raise ProtocolError("malformed opaque value")
        return Opaque(self._text(value[1]), self._text(value[2]))


_HEX: Final = frozenset("0123456789abcdef")
_DECODERS: Final[Mapping[str, Callable[[Decoder, list[Json], int], Value]]] = {
    "i": Decoder._big_int,
    "f": Decoder._float,
    "u": Decoder._surrogates,
    "b": Decoder._bytes,
    "l": Decoder._list,
    "t": Decoder._tuple,
    "d": Decoder._dict,
    "a": Decoder.array,
    "s": Decoder._scalar,
    "o": Decoder._opaque,
}


def _deeper(depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise ProtocolError(f"deeper than {MAX_DEPTH}")
    return depth + 1


def _dtype(name: Json) -> np.dtype[Any]:
    dtype = _DTYPES.get(name) if type(name) is str else None
    if dtype is None:
        raise ProtocolError("dtype not allowed")
    return dtype


def _sizes(values: list[Json], count: int) -> list[int]:
    if len(values) != count or not all(type(n) is int and 0 <= n <= MAX_PAYLOAD for n in values):
        raise ProtocolError("malformed size")
    return values


def _one_text(value: list[Json], most: int) -> str:
    if len(value) != 2 or type(value[1]) is not str or len(value[1]) > most:
        raise ProtocolError("malformed value")
    return value[1]


def _hex(text: Json, size: int) -> bytes:
    if type(text) is not str or len(text) != 2 * size or set(text) - _HEX:
        raise ProtocolError("malformed hexadecimal text")
    return bytes.fromhex(text)
