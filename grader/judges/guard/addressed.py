"""Payloads: stretches of an answer that speak to the grader instead of answering."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from grader.judges.guard.invisible import invisible_spans
from grader.judges.guard.orders import order_rules
from grader.judges.guard.reasons import GuardReason
from grader.judges.guard.words import PLACEHOLDER, words_of
from grader.judges.normalise import MappedText, normalise
from grader.judges.segments import Span, segments

Reasoned = tuple[Span, GuardReason]
_CLAUSE_STARTS = ",;:()[]{}\n—–"


def payload_spans(text: str) -> list[Reasoned]:
    """All payloads of a text, in order; they may overlap."""
    sentences = segments(text)
    found = [(span, GuardReason.INVISIBLE_TEXT) for span in invisible_spans(text)]
    found += [(widened(text, sentences, s), r) for s, r in _spoken(normalise(text))]
    return sorted(found)


def _spoken(view: MappedText) -> Iterator[Reasoned]:
    words = words_of(view)
    for hit in order_rules().hits(words):
        yield Span(words[hit.first].start, words[hit.last].end), hit.reason


def widened(text: str, sentences: tuple[Span, ...], span: Span) -> Span:
    """The span from the start of its clause to the end of its sentence."""
    start, end = span.start, span.end
    first = bisect_right(sentences, span.start, key=lambda s: s.end)
    last = bisect_left(sentences, span.end, key=lambda s: s.start) - 1
    if first <= last:
        start, end = min(start, sentences[first].start), max(end, sentences[last].end)
        clause = max(text.rfind(c, start, span.start) for c in _CLAUSE_STARTS)
        start = max(start, clause + 1)
    wall_before = text.rfind(PLACEHOLDER, start, span.start)
    wall_after = text.find(PLACEHOLDER, span.end, end)
    start = max(start, wall_before + 1)
    return Span(start, wall_after if wall_after >= 0 else end)
