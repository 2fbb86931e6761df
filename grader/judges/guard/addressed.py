"""Payloads: stretches of an answer that speak to the grader instead of answering."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from grader.judges.guard.blobs import blobs
from grader.judges.guard.invisible import invisible_spans
from grader.judges.guard.orders import order_rules
from grader.judges.guard.reasons import GuardReason
from grader.judges.guard.structure import framed_spans
from grader.judges.guard.views import views
from grader.judges.guard.words import PLACEHOLDER, words_of
from grader.judges.normalise import MappedText, normalise
from grader.judges.segments import Span, segments

Reasoned = tuple[Span, GuardReason]
_CLAUSE_STARTS = ",;:()[]{}\n—–"
_DEEPEST_ENCODING = 2


def payload_spans(text: str) -> list[Reasoned]:
    """All payloads of a text, in order; they may overlap."""
    sentences = segments(text)
    plain = list(_orders(normalise(text)))
    frames = framed_spans(text, sentences, [span for span, _ in plain])
    found = [(span, GuardReason.INVISIBLE_TEXT) for span in invisible_spans(text)]
    found += [(span, GuardReason.ADDRESSED_TO_GRADER) for span in frames]
    found += [(_widened(text, sentences, s), r) for s, r in plain if not _lies_in(s, frames)]
    for span in _hidden_orders(text, {span for span, _ in plain}):
        found.append((_widened(text, sentences, span), GuardReason.ENCODED_PAYLOAD))
    found += [(span, GuardReason.ENCODED_PAYLOAD) for span in _encoded(text)]
    return sorted(set(found))


def _lies_in(span: Span, frames: Sequence[Span]) -> bool:
    """Whether a span lies in one of the frames, which are in order of their starts."""
    i = bisect_right(frames, span.start, key=lambda f: f.start)
    return any(span.end <= frame.end for frame in frames[max(i - 2, 0) : i])


def _orders(view: MappedText, *, anywhere: bool = False) -> Iterator[Reasoned]:
    """Orders, pleas and guesses in the words of a view."""
    words = words_of(view)
    for hit in order_rules().hits(words, anywhere=anywhere):
        ends = (words[hit.first], words[hit.last])
        yield Span(min(w.start for w in ends), max(w.end for w in ends)), hit.reason


def _hidden_orders(text: str, plain: set[Span]) -> set[Span]:
    """Orders that another reading of the text shows and the plain one does not."""
    return {
        span
        for view in views(text)
        for span, _ in _orders(view.mapped, anywhere=view.is_foreign)
        if span not in plain
    }


def _encoded(text: str) -> Iterator[Span]:
    for blob in blobs(text):
        if _says_an_order(blob.said, depth=1):
            yield blob.span


def _says_an_order(said: str, depth: int) -> bool:
    if any(True for _ in _orders(normalise(said))) or framed_spans(said, ()):
        return True
    if depth >= _DEEPEST_ENCODING:
        return False
    return any(_says_an_order(blob.said, depth + 1) for blob in blobs(said))


def _widened(text: str, sentences: Sequence[Span], span: Span) -> Span:
    """The span from the start of its clause to the end of its sentence."""
    start, end = span.start, span.end
    first = bisect_right(sentences, start, key=lambda s: s.end)
    last = bisect_left(sentences, end, key=lambda s: s.start) - 1
    if first <= last:
        start, end = min(start, sentences[first].start), max(end, sentences[last].end)
        clause = max(text.rfind(c, start, span.start) for c in _CLAUSE_STARTS)
        start = max(start, clause + 1)
    start = max(start, text.rfind(PLACEHOLDER, start, span.start) + 1)
    wall = text.find(PLACEHOLDER, span.end, end)
    return Span(start, wall if wall >= 0 else end)
