"""A working copy of a text in which spelling variants coincide, with a map back to the text.

The normal form is compatibility-decomposed and case-folded (Unicode UAX 15, section 3.13 of the
standard), without combining marks, zero-width and direction controls, with plain quotes and
dashes, and with every run of white space as one space. Each character is folded on its own, so
the work is linear and any span of the normal form belongs to a span of the text.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_QUOTES = dict.fromkeys("‘’‚‛`´′ʹʻʼ＇", "'") | dict.fromkeys("“”„‟«»″〝〞＂", '"')
_DASHES = dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-")
_SIGNS = {"×": "x", "⁄": "/", "∕": "/", "·": ".", "∗": "*", "ı": "i", "µ": "μ"}
_PLAIN = _QUOTES | _DASHES | _SIGNS
# ASCII without controls and the backquote, with single spaces between words: each character folds
# to its lower case.
_PLAIN_RUN = re.compile(r"[!-_a-~]+(?: [!-_a-~]+)*")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")


@dataclass(frozen=True, slots=True)
class MappedText:
    """A rewritten text of which every character knows where it came from.

    Attributes:
        text: The rewritten text.
        starts: For each character the first code point it came from.
        ends: For each character one past the last code point it came from.
        source_length: Length of the text it was made from.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    source_length: int

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the source that ``text[start:end]`` came from.

        An empty span maps to an empty one.
        """
        if start >= end:
            at = self.starts[start] if start < len(self.starts) else self.source_length
            return at, at
        return self.starts[start], self.ends[end - 1]

    def span_of(self, source_start: int, source_end: int) -> tuple[int, int]:
        """The smallest span of ``text`` that holds everything made from a span of the source."""
        start = bisect_right(self.ends, source_start)
        end = bisect_left(self.starts, source_end)
        return start, max(start, end)

    def rewritten(self, rewrite: Callable[[str], str]) -> "MappedText":
        """The same map under a rewriting that keeps the length.

        Raises:
            ValueError: The rewriting changed the length.
        """
        text = rewrite(self.text)
        if len(text) != len(self.text):
            raise ValueError(f"the rewriting made {len(text)} of {len(self.text)} characters")
        return MappedText(text, self.starts, self.ends, self.source_length)


class TextMapper:
    """Builds a mapped text piece by piece, in the order of the source."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, piece: str, start: int, end: int) -> None:
        """Appends what ``source[start:end]`` becomes."""
        self._pieces.append(piece)
        self._starts.extend([start] * len(piece))
        self._ends.extend([end] * len(piece))

    def add_run(self, piece: str, start: int) -> None:
        """Appends a piece of which each character comes from one of the source, in order."""
        self._pieces.append(piece)
        self._starts.extend(range(start, start + len(piece)))
        self._ends.extend(range(start + 1, start + len(piece) + 1))

    def widen(self, end: int) -> None:
        """Lets the last character reach up to ``end``, e.g. over its combining marks."""
        if self._ends:
            last, i = self._ends[-1], len(self._ends) - 1
            start = self._starts[i]
            while i >= 0 and self._starts[i] == start and self._ends[i] == last:
                self._ends[i] = end
                i -= 1

    def build(self, source_length: int) -> MappedText:
        """The text so far."""
        return MappedText("".join(self._pieces), self._starts, self._ends, source_length)


def normalise(text: str) -> MappedText:
    """The normal form of a text.

    Args:
        text: Any string, lone surrogates included.

    Returns:
        The normal form with its map to code points of ``text``.
    """
    mapper = TextMapper()
    blank_from, i = -1, 0
    while i < len(text):
        run = _PLAIN_RUN.match(text, i)
        folded = run.group().lower() if run else _folded(text[i])
        if folded == " ":
            blank_from = i if blank_from < 0 else blank_from
            i += 1
            continue
        if blank_from >= 0 and folded:
            mapper.add(" ", blank_from, i)
            blank_from = -1
        if run:
            mapper.add_run(folded, i)
            i = run.end()
            continue
        if folded:
            mapper.add(folded, i, i + 1)
        elif blank_from < 0 and unicodedata.combining(text[i]):
            mapper.widen(i + 1)
        i += 1
    if blank_from >= 0:
        mapper.add(" ", blank_from, len(text))
    return mapper.build(len(text))


@lru_cache(maxsize=16384)
def _folded(char: str) -> str:
    """What one character becomes: a space for blanks, nothing for what cannot be seen."""
    if char.isspace():
        return " "
    if is_invisible(char):
        return ""
    plain = _PLAIN.get(char, char)
    base = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", plain).casefold())
    visible = (c for c in base if not unicodedata.combining(c) and not is_invisible(c))
    folded = unicodedata.normalize("NFKC", "".join(visible))
    folded = "".join(_PLAIN.get(c, c) for c in folded)
    if _is_superscript(char):
        return "^" + folded
    return " " if folded.isspace() else folded


def _is_superscript(char: str) -> bool:
    return unicodedata.decomposition(char).startswith("<super>") and char not in "ªº™℠"


def is_invisible(char: str) -> bool:
    """Whether a character shows nothing: format and control characters, fillers, selectors."""
    if char.isspace():
        return False
    category = unicodedata.category(char)
    return (
        category in ("Cf", "Cc")
        or char in _FILLERS
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )
