"""Finding a quote in an answer: exactly, then in normal form, then with a few edits.

Language models often fail to copy verbatim, so a quote may differ from the text in spelling
details; it may never differ in a negation or a figure, and never rest on a flagged span.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from grader.domain.verdict import Evidence
from grader.judges.normalise import MappedText, normalise
from grader.judges.port import GuardedAnswer
from grader.judges.segments import Span

_ELLIPSIS = re.compile(r"\s*(?:\[?\.{3,}\]?|\[?…\]?)\s*")
_MARKS = " \t\r\n\"'“”‘’«».,;:!?…"
_EDIT_SHARE = 0.12
_MOST_EDITS = 12
_LONGEST_FUZZY = 160
_SHORTEST_FUZZY = 12
_MOST_CANDIDATES = 8
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|cannot|without|non|un\w+|in\w{6,}|\w+n't|"
    r"hardly|less|fewer|more|fails?|instead|unlike|except|unless|false|wrong)\b"
)
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")


class QuoteIndex:
    """The places of quotes in one answer; normalises the answer once.

    Args:
        guarded: The answer with its flagged spans.
    """

    def __init__(self, guarded: GuardedAnswer) -> None:
        self._text = guarded.answer.text
        self._flagged = [Span(f.start, f.end) for f in guarded.flagged]

    def locate(self, quote: str, within: tuple[int, int] | None = None) -> tuple[Evidence, ...]:
        """Finds a quote.

        Args:
            quote: Words said to stand in the answer; ``...`` between parts is allowed.
            within: Code points ``[start, end)`` that the quote must lie in; anywhere when None.

        Returns:
            One piece of evidence for each part, with exact spans of the stored text; empty where
            any part is not there, or only in a flagged span.
        """
        found: list[Evidence] = []
        start, end = within if within is not None else (0, len(self._text))
        for part in _parts(quote):
            region = Span(max(start, 0), min(end, len(self._text)))
            span = self._find(part, region) or self._find(part.strip(_MARKS), region)
            if span is None:
                return ()
            found.append(Evidence.of(self._text, span.start, span.end))
            start = span.end
        return tuple(found)

    def is_flagged(self, span: Span) -> bool:
        """Whether a span shares a character with a flagged one."""
        i = bisect_right(self._flagged, span.start, key=lambda f: f.end)
        return i < len(self._flagged) and self._flagged[i].start < span.end

    def _find(self, quote: str, region: Span) -> Span | None:
        for span in self._exact(quote, region):
            if not self.is_flagged(span):
                return span
        wanted = normalise(quote).text.strip()
        if not any(c.isalnum() for c in wanted):
            return None
        for span in self._normal(wanted, region):
            if not self.is_flagged(span):
                return span
        for span in self._fuzzy(wanted, region):
            if not self.is_flagged(span):
                return span
        return None

    @cached_property
    def _normalised(self) -> MappedText:
        return normalise(self._text)

    def _exact(self, quote: str, region: Span) -> Iterator[Span]:
        if not any(c.isalnum() for c in quote):
            return
        for at in _occurrences(self._text, quote, region.start, region.end):
            yield Span(at, at + len(quote))

    def _normal(self, wanted: str, region: Span) -> Iterator[Span]:
        start, end = self._normalised.span_of(region.start, region.end)
        for at in _occurrences(self._normalised.text, wanted, start, end):
            yield Span(*self._normalised.source_span(at, at + len(wanted)))

    def _fuzzy(self, wanted: str, region: Span) -> Iterator[Span]:
        """Places within a bounded edit distance, the nearest first."""
        edits = min(int(len(wanted) * _EDIT_SHARE), _MOST_EDITS)
        if not _SHORTEST_FUZZY <= len(wanted) <= _LONGEST_FUZZY or edits == 0:
            return
        start, end = self._normalised.span_of(region.start, region.end)
        text = self._normalised.text
        matches = []
        for low, high in _candidates(text, wanted, edits, start, end):
            distance, first, last = best_match(wanted, text[low:high])
            first, last = _whole_words(text, low + first, low + last, start, end)
            if distance <= edits and _says_the_same(wanted, text[first:last]):
                matches.append((distance, first, last))
        for _, first, last in sorted(matches):
            yield Span(*self._normalised.source_span(first, last))


def _parts(quote: str) -> list[str]:
    parts = [part.strip() for part in _ELLIPSIS.split(quote)]
    return [part for part in parts if part] or [quote]


def _occurrences(text: str, wanted: str, start: int, end: int) -> Iterator[int]:
    at = text.find(wanted, start, end)
    while at >= 0 and wanted:
        yield at
        at = text.find(wanted, at + max(len(wanted) // 2, 1), end)


def _candidates(
    text: str, wanted: str, edits: int, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Stretches that may hold the quote: one of its pieces stands there unchanged.

    With ``edits`` edits over ``edits + 1`` pieces at least one piece is untouched (the pigeonhole
    filter of Wu and Manber, 1992). The rarest piece is looked for first.
    """
    size = max(len(wanted) // (edits + 1), 4)
    offsets = range(0, len(wanted) - size + 1, size)
    seen: set[int] = set()
    for offset in sorted(offsets, key=lambda o: text.count(wanted[o : o + size], start, end)):
        for at in _occurrences(text, wanted[offset : offset + size], start, end):
            place = (at - offset) // (2 * edits + 1)
            if place in seen:
                continue
            seen.add(place)
            low = max(at - offset - edits, start)
            yield low, min(at - offset + len(wanted) + 2 * edits, end)
            if len(seen) >= _MOST_CANDIDATES:
                return


def best_match(wanted: str, text: str) -> tuple[int, int, int]:
    """The substring of ``text`` nearest to ``wanted`` by edit distance (Sellers, 1980).

    Returns:
        Distance, start and end of the substring.
    """
    previous = [(0, j) for j in range(len(text) + 1)]
    for i, char in enumerate(wanted, start=1):
        current = [(i, 0)]
        for j, other in enumerate(text, start=1):
            change = previous[j - 1]
            if char != other:
                change = (change[0] + 1, change[1])
            above, left = previous[j], current[j - 1]
            current.append(min(change, (above[0] + 1, above[1]), (left[0] + 1, left[1])))
        previous = current
    end = min(range(len(previous)), key=lambda j: (previous[j][0], j))
    return previous[end][0], previous[end][1], end


def _whole_words(text: str, first: int, last: int, start: int, end: int) -> tuple[int, int]:
    """The span widened to the word boundaries around it."""
    while first > start and text[first - 1].isalnum() and text[first : first + 1].isalnum():
        first -= 1
    while last < end and text[last].isalnum() and text[last - 1 : last].isalnum():
        last += 1
    while first < last and text[first] == " ":
        first += 1
    while last > first and text[last - 1] == " ":
        last -= 1
    return first, last


def _says_the_same(wanted: str, found: str) -> bool:
    """Whether two near-equal texts have the same negations, comparisons and figures."""
    return all(
        sorted(pattern.findall(wanted)) == sorted(pattern.findall(found))
        for pattern in (_NEGATIONS, _FIGURES)
    )
