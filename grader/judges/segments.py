"""Sentences of an answer with their spans: what a judge numbers, a guard masks, evidence is cut to.

Written text is cut at full stops, blank lines, list items and code fences. Speech without
punctuation is cut into windows of about 25 words, before a connective where one is near.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ABBREVIATIONS = frozenset(
    """e.g i.e eg ie vs cf etc approx resp fig figs eq eqs sec no nos vol ch al dr mr mrs ms prof
    st inc ltd dept est min max avg ca incl excl ref refs tab esp""".split()
)
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|\Z)|[。！？｡]+[」』”’]*|[।؟۔]+")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*•‣◦▪–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#{1,6}|>)[ \t]")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    r"|[^\W_]+(?:['’.,/_\u00ad\u200b-\u200d\u2060-]+[^\W_]+)*"
)
_LAST_WORD = re.compile(r"([^\s(\[\"'“]+)\Z")
_CONNECTIVES = frozenset("so and then but because which also now or while when if well".split())
_WRAP_COLUMN = 60
_LONGEST = 40
_WINDOW = 25
_SLACK = 6


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch ``[start, end)`` of a text in code points."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Whether both share a character."""
        return self.start < other.end and other.start < self.end


def segments(text: str) -> tuple[Span, ...]:
    """The sentences of a text, in order, disjoint, without surrounding white space.

    Every character that is not white space lies in exactly one of them.
    """
    found: list[Span] = []
    for block in _blocks(text):
        for sentence in _sentences(text, block):
            found.extend(_windows(text, sentence))
    return tuple(found)


def _blocks(text: str) -> Iterator[Span]:
    """Paragraphs, list items, headings and whole code fences."""
    start, at, fenced = 0, 0, False
    previous = ""
    while at < len(text):
        match = _LINE.match(text, at)
        end = match.end() if match else len(text)
        line = text[at:end]
        if _FENCE.match(line):
            if not fenced:
                yield from _trimmed(text, start, at)
                start = at
            else:
                yield from _trimmed(text, start, end)
                start = end
            fenced = not fenced
        elif not fenced and _begins_block(line, previous):
            yield from _trimmed(text, start, at)
            start = at
        previous = line
        at = end
    yield from _trimmed(text, start, len(text))


def _begins_block(line: str, previous: str) -> bool:
    """Whether a line is more than the wrapped continuation of the one before."""
    if not line.strip() or not previous.strip() or _ITEM.match(line):
        return True
    return len(previous.rstrip()) < _WRAP_COLUMN and not line.lstrip()[:1].islower()


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Span(start, end)


def _sentences(text: str, block: Span) -> Iterator[Span]:
    if _FENCE.match(text, block.start, block.end):
        yield block
        return
    item = _ITEM.match(text, block.start, block.end)
    start = block.start
    for match in _END.finditer(text, item.end() if item else start, block.end):
        if match.group() == "." and _is_abbreviation(text, start, match.start()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, block.end)


def _is_abbreviation(text: str, start: int, stop: int) -> bool:
    """Whether the word before a full stop is one that is written with it."""
    last = _LAST_WORD.search(text, max(start, stop - 12), stop)
    if last is None:
        return False
    word = last.group(1).casefold()
    if word in ("etc", "al"):
        return text[stop + 1 : stop + 3].strip()[:1].islower()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word not in "ix")


def _windows(text: str, sentence: Span) -> Iterator[Span]:
    """The sentence, or windows of it where it is too long to be one."""
    words = list(_WORD.finditer(text, sentence.start, sentence.end))
    if len(words) <= _LONGEST:
        yield sentence
        return
    start, i = sentence.start, 0
    while len(words) - i > _LONGEST:
        i = _cut(text, words, i)
        yield from _trimmed(text, start, words[i].start())
        start = words[i].start()
    yield from _trimmed(text, start, sentence.end)


def _cut(text: str, words: list[re.Match[str]], first: int) -> int:
    """Index of the word that begins the next window: near the 25th, best after a break."""
    middle = first + _WINDOW
    near = sorted(range(middle - _SLACK, middle + _SLACK + 1), key=lambda i: abs(i - middle))
    for i in near:
        if any(c in ",;:\n" for c in text[words[i - 1].end() : words[i].start()]):
            return i
    for i in near:
        if words[i].group().casefold() in _CONNECTIVES:
            return i
    return middle
