"""Windows of an answer, and how well each phrasing of the rubric is found in them."""

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.judges.offline.numbers import Quantity, quantities
from grader.judges.offline.polarity import Polarity, conflicts
from grader.judges.offline.rubric import Phrase, PreparedQuestion, grams
from grader.judges.offline.words import sentence
from grader.judges.port import FlaggedSpan
from grader.judges.segments import Span, segments

Found = Mapping[str, tuple[Polarity, ...]]


@dataclass(frozen=True)
class Window:
    """One or two neighbouring sentences of an answer.

    Attributes:
        stems: The rubric's words found in it -> the polarities they are used with.
        order: All its content stems in order, read as the rubric's where possible.
        start: First code point.
        end: One past the last.
        text: The words between.
        size: Number of sentences.
        flagged: Whether the guard marked something within these sentences.
    """

    stems: Found
    order: tuple[str, ...]
    start: int
    end: int
    text: str
    size: int
    flagged: bool

    def says(self, term: frozenset[str]) -> bool:
        """Whether all stems of a term stand in it."""
        return term <= self.said

    @cached_property
    def said(self) -> frozenset[str]:
        """The rubric's words found in it."""
        return frozenset(self.stems)

    @cached_property
    def grams(self) -> frozenset[str]:
        """Character 4-grams."""
        return grams(self.order)


@dataclass(frozen=True)
class ReadAnswer:
    """An answer as the judge sees it.

    Attributes:
        windows: Single sentences and neighbouring pairs.
        set_aside: What the guard flagged but left readable: it earns nothing, but may deny.
        whole: Everything as one window.
        figures: All quantities outside flagged spans, in order.
        n_words: Number of content words.
    """

    windows: tuple[Window, ...]
    set_aside: tuple[Window, ...]
    whole: Window
    figures: tuple[Quantity, ...]
    n_words: int

    def figures_in(self, window: Window) -> tuple[Quantity, ...]:
        """The quantities that stand in a window."""
        first, last = (bisect_left(self._places, at) for at in (window.start, window.end))
        return self.figures[first:last]

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return tuple(q.start for q in self.figures)


@dataclass(frozen=True)
class Match:
    """How far a window says what a phrase says, as shares of the weight of the phrase.

    Attributes:
        agree: Found, used with the same polarity.
        conflict: Found, but denied where the phrase asserts, or the reverse.
    """

    window: Window
    phrase: Phrase
    agree: float
    conflict: float

    @property
    def found(self) -> float:
        """Share found, whatever the polarity."""
        return self.agree + self.conflict


def read_answer(
    text: str, flagged: Sequence[FlaggedSpan], question: PreparedQuestion
) -> ReadAnswer:
    """Reads an answer once for all signals.

    Args:
        text: The answer, with recognised payloads masked.
        flagged: Spans that can never be evidence, in order and disjoint.
        question: Gives vocabulary and glossary.
    """
    windows: list[Window] = []
    n_words = 0
    for run in _runs(text, flagged, question):
        n_words += sum(len(w.order) for w in run)
        windows += run
        windows += [_joined(pair, text) for pair in itertools.pairwise(run)]
    singles = [w for w in windows if w.size == 1]
    figures = tuple(q for q in quantities(text) if not _inside(q, flagged))
    return ReadAnswer(
        windows=tuple(windows),
        set_aside=_flagged_windows(text, flagged, question),
        whole=_joined(singles, text),
        figures=figures,
        n_words=n_words,
    )


def _flagged_windows(
    text: str, flagged: Sequence[FlaggedSpan], question: PreparedQuestion
) -> tuple[Window, ...]:
    read = (_read(text, Span(f.start, f.end), question, True) for f in flagged)
    return tuple(w for w in read if w is not None)


def match(window: Window, phrase: Phrase) -> Match:
    """Compares a window with a phrase."""
    return Match(window, phrase, *shares(window, phrase))


def shares(window: Window, phrase: Phrase) -> tuple[float, float]:
    """The shares of a phrase's weight that a window agrees and conflicts with."""
    agree = conflict = 0
    for stem in phrase.stems & window.said:
        if opposed(window.stems[stem], phrase.words[stem]):
            conflict += phrase.weight[stem]
        else:
            agree += phrase.weight[stem]
    total = phrase.total or 1
    return agree / total, conflict / total


def opposed(used: Sequence[Polarity], meant: Sequence[Polarity]) -> bool:
    """Whether no use of a word agrees with any that the phrase makes of it."""
    return used != meant and all(conflicts(u, m) for u in used for m in meant)


def _runs(
    text: str, flagged: Sequence[FlaggedSpan], question: PreparedQuestion
) -> Iterator[list[Window]]:
    """Neighbouring sentences, in runs that no flagged span interrupts."""
    run: list[Window] = []
    for span in segments(text):
        parts = list(_unflagged(span, flagged))
        touched = parts != [span]
        if touched and run:
            yield run
            run = []
        read = [_read(text, part, question, touched) for part in parts]
        found = [w for w in read if w is not None]
        if touched:
            yield from ([w] for w in found)
        else:
            run += found
    yield run


def _unflagged(span: Span, flagged: Sequence[FlaggedSpan]) -> Iterator[Span]:
    """What is left of a sentence without its flagged stretches."""
    start = span.start
    for flag in flagged:
        if flag.start < span.end and span.start < flag.end:
            if start < flag.start:
                yield Span(start, flag.start)
            start = max(start, flag.end)
    if start < span.end:
        yield Span(start, span.end)


def _read(text: str, span: Span, question: PreparedQuestion, touched: bool) -> Window | None:
    found = sentence(text, span, question.aliases)
    if found is None:
        return None
    stems: dict[str, tuple[Polarity, ...]] = {}
    order = []
    for word in found.words:
        read = question.spelling.read(word.stem)
        order.append(read or word.stem)
        if read is not None and word.polarity not in stems.get(read, ()):
            stems[read] = (*stems.get(read, ()), word.polarity)
    place = (found.start, found.end)
    return Window(stems, tuple(order), *place, text[slice(*place)], 1, touched)


def _joined(windows: Sequence[Window], text: str) -> Window:
    stems: dict[str, tuple[Polarity, ...]] = {}
    for window in windows:
        for stem, used in window.stems.items():
            stems[stem] = tuple(dict.fromkeys((*stems.get(stem, ()), *used)))
    start = windows[0].start if windows else 0
    end = windows[-1].end if windows else 0
    return Window(
        stems=stems,
        order=tuple(s for w in windows for s in w.order),
        start=start,
        end=end,
        text=text[start:end],
        size=len(windows),
        flagged=any(w.flagged for w in windows),
    )


def _inside(figure: Quantity, flagged: Sequence[FlaggedSpan]) -> bool:
    return any(figure.start < span.end and span.start < figure.end for span in flagged)
