"""Encoded stretches of an answer, decoded: base64, base32, hexadecimal, binary, escapes, codes."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from grader.judges.segments import Span

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*")
_BASE32 = re.compile(r"[A-Z2-7]{16,}|[a-z2-7]{24,}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,-]{0,2}){10,}(?![0-9A-Za-z])")
_BINARY = re.compile(r"(?:[01]{8}[\s,]{0,2}){8,}")
_CODES = re.compile(r"(?:\d{2,3}[\s,]{1,2}){9,}\d{2,3}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[\w.~+-]{0,40}){3,}")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\u\{[0-9a-fA-F]{1,6}\}){4,}")
_HEX_NOISE = re.compile(r"0x|\\x|[\s:,-]")
_READABLE = 0.8
_FEWEST_CHARACTERS = 8


@dataclass(frozen=True, slots=True)
class Blob:
    """An encoded stretch and what it says."""

    span: Span
    said: str


def blobs(text: str) -> Iterator[Blob]:
    """All stretches that decode to readable text."""
    for pattern, decode in _DECODERS:
        for match in pattern.finditer(text):
            said = decode(match.group())
            if _is_readable(said):
                yield Blob(Span(*match.span()), said)


def _is_readable(said: str) -> bool:
    good = sum(c.isalnum() or c in " .,:;!?'\"{}[]_-\n" for c in said)
    return len(said) >= _FEWEST_CHARACTERS and good >= _READABLE * len(said)


def _text_of(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


def _from_base64(code: str) -> str:
    plain = "".join(code.split()).replace("-", "+").replace("_", "/")
    return _text_of(base64.b64decode(plain[: len(plain) // 4 * 4] + _padded_rest(plain)))


def _padded_rest(plain: str) -> str:
    """The last incomplete group, filled up; a single left-over character says nothing."""
    rest = plain[len(plain) // 4 * 4 :]
    return rest + "=" * (4 - len(rest)) if len(rest) > 1 else ""


def _from_base32(code: str) -> str:
    try:
        return _text_of(base64.b32decode(code.upper() + "=" * (-len(code) % 8)))
    except binascii.Error:
        return ""


def _from_hex(code: str) -> str:
    digits = _HEX_NOISE.sub("", code)
    return _text_of(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _from_binary(code: str) -> str:
    bits = "".join(c for c in code if c in "01")
    return _text_of(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)))


def _from_codes(code: str) -> str:
    return "".join(chr(int(n)) for n in re.split(r"[\s,]+", code))


def _from_percent(code: str) -> str:
    return unquote(code.replace("+", " "))


def _from_escapes(code: str) -> str:
    points = re.findall(r"[0-9a-fA-F]{1,6}", code)
    return "".join(chr(n) for n in (int(p, 16) for p in points) if n <= 0x10FFFF)


_DECODERS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (_BASE64, _from_base64),
    (_BASE32, _from_base32),
    (_HEX, _from_hex),
    (_BINARY, _from_binary),
    (_CODES, _from_codes),
    (_PERCENT, _from_percent),
    (_ESCAPES, _from_escapes),
)
