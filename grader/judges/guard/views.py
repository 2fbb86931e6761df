"""The same answer as a model may read it: other spellings of a text, each mapped to the answer.

A view is built only where its spelling is in use, so that a plain answer has one view.
"""

import codecs
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.judges.normalise import MappedText, TextMapper, normalise

_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"), " ")
_LEET_IN_USE = re.compile(r"[a-z][0134578@$!]+[a-z]|\b[0134578@$][a-z]{2}|[a-z]{2}[0134578@$]\b")
_LEET = str.maketrans("013457@$!8", "oieastasib")
_LEET_L = str.maketrans("013457@$!8", "oleastasib")
_LOOKALIKES = str.maketrans(
    "авеѕіїјкмнорстухԁԛԝһѵӏгпьαβεηικνορτυχωγσɡɑɩᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢոօսհց",
    "abesiijkmhopctyxdqwhvlrnbabenikvoptuxwyogaiabcdefghijklmnoprstuvwyznouhg",
)
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_](?:[ .\-_*|/]|  )){4,}[^\W\d_](?!\w)")
_LETTER = re.compile(r"[^\W\d_]")
_BACKWARDS = ("snoitcurtsni", "erongi", "drawa", "skram", "cirbur", "slangis", "tcidrev")
_ROTATED = tuple(codecs.encode(word[::-1], "rot13") for word in _BACKWARDS)
_ENTITIES = re.compile(r"&#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});|&[a-zA-Z]{2,8};")


@dataclass(frozen=True, slots=True)
class View:
    """A text as it may be read.

    Attributes:
        mapped: The reading.
        is_foreign: Whether plain words mean nothing in it, so that any order in it was put there.
    """

    mapped: MappedText
    is_foreign: bool


def views(text: str) -> Iterator[View]:
    """The readings of a text beside its normal form."""
    normal = normalise(text)
    yield from (View(mapped, is_foreign=False) for mapped in _spellings(text, normal))
    yield from (View(mapped, is_foreign=True) for mapped in _ciphers(normal))


def _spellings(text: str, normal: MappedText) -> Iterator[MappedText]:
    """Plain words stay what they are in these."""
    low = normal.text
    if any(chr(c) in text for c in _ZERO_WIDTH):
        yield normalise(text.translate(_ZERO_WIDTH))
    if _LEET_IN_USE.search(low):
        yield normal.rewritten(lambda t: t.translate(_LEET))
        if "1" in low:
            yield normal.rewritten(lambda t: t.translate(_LEET_L))
    if not low.isascii() and any(chr(c) in low for c in _LOOKALIKES):
        yield normal.rewritten(lambda t: t.translate(_LOOKALIKES))
    if _SPACED.search(text):
        yield _joined(text)
    if len(_ENTITIES.findall(text)) > 2:
        yield _unescaped(text)


def _ciphers(normal: MappedText) -> Iterator[MappedText]:
    """Plain words mean nothing in these."""
    low = normal.text
    if any(word in low for word in _BACKWARDS):
        yield _reversed(normal)
    if any(word in low for word in _ROTATED):
        yield normal.rewritten(lambda t: codecs.encode(t, "rot13"))


def _joined(text: str) -> MappedText:
    """The text with letters that are spelled one by one joined to words."""
    mapper = TextMapper()
    at = 0
    for match in _SPACED.finditer(text):
        _copy(mapper, text, at, match.start())
        previous = match.start()
        for letter in _LETTER.finditer(text, match.start(), match.end()):
            if letter.start() - previous > 2:
                mapper.add(" ", previous, letter.start())
            mapper.add(normalise(letter.group()).text, letter.start(), letter.end())
            previous = letter.start()
        at = match.end()
    _copy(mapper, text, at, len(text))
    return mapper.build(len(text))


def _reversed(normal: MappedText) -> MappedText:
    return MappedText(
        normal.text[::-1], normal.starts[::-1], normal.ends[::-1], normal.source_length
    )


def _unescaped(text: str) -> MappedText:
    """The text with its HTML entities resolved."""
    mapper = TextMapper()
    at = 0
    for match in _ENTITIES.finditer(text):
        _copy(mapper, text, at, match.start())
        mapper.add(normalise(html.unescape(match.group())).text, match.start(), match.end())
        at = match.end()
    _copy(mapper, text, at, len(text))
    return mapper.build(len(text))


def _copy(mapper: TextMapper, text: str, start: int, end: int) -> None:
    part = normalise(text[start:end])
    for char, first, last in zip(part.text, part.starts, part.ends, strict=True):
        mapper.add(char, start + first, start + last)
