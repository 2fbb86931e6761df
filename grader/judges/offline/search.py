"""Finding the window of an answer that speaks most for a signal."""

from dataclasses import dataclass

from grader.judges.offline.match import Match, ReadAnswer, Window, opposed, shares
from grader.judges.offline.numbers import matches
from grader.judges.offline.polarity import Polarity
from grader.judges.offline.rubric import PreparedSignal

PAIR_COST = 0.1
CONFLICT_RANK = 0.8
SUPPORT_RANK = 0.4
DENIED_SHARE = 0.25
CLEAR_SHARE = 0.7
_TIE = 1e-9


@dataclass(frozen=True)
class Finding:
    """The best window, and how the whole answer compares with it.

    Attributes:
        match: Window and phrase most alike.
        terms_near: Share of the groups of synonyms that the window covers.
        figures_near: Share of the expected figures that the window states.
        agree_mean: Mean over phrasings of what the best window for each agrees with.
        denied_share: Share of the signal's words in the window, by weight, that it uses as none
            of its phrasings does.
        denial: A sentence that denies a phrasing about as clearly as the match asserts one.
    """

    match: Match
    terms_near: float
    figures_near: float
    agree_mean: float
    denial: Match | None
    denied_share: float


def find(signal: PreparedSignal, answer: ReadAnswer) -> Finding | None:
    """The window that speaks most for a signal, the earliest on a tie; None where none does.

    A window counts by the words that it shares with one phrasing, and by the terms and figures
    of the signal in it; a second sentence must be worth its length.
    """
    best: tuple[Match, float, float] | None = None
    best_rank = 0.0
    agreed = [0.0] * len(signal.accepts)
    for window in answer.windows if signal.accepts else ():
        if not window.stems:
            continue
        found = [shares(window, phrase) for phrase in signal.accepts]
        agreed = [max(a, f[0]) for a, f in zip(agreed, found, strict=True)]
        top = max(range(len(found)), key=lambda i: _strength(found[i]))
        terms, figures = terms_share(signal, window), figures_share(signal, window, answer)
        support = SUPPORT_RANK * (terms + figures) - PAIR_COST * (window.size - 1)
        rank = _strength(found[top]) + support
        if rank > best_rank + _TIE:
            best = (Match(window, signal.accepts[top], *found[top]), terms, figures)
            best_rank = rank
    if best is None:
        return None
    mean = sum(agreed) / len(agreed)
    denial = _denial(signal, answer, best[0])
    return Finding(*best, mean, denial, _denied_share(signal, best[0].window))


def _denied_share(signal: PreparedSignal, window: Window) -> float:
    """Share of the signal's words in a window that it uses as none of its phrasings does."""
    said = [stem for stem in window.stems if stem in signal.vocabulary]
    denied = [s for s in said if opposed(window.stems[s], signal.polarities[s])]
    total = sum(signal.vocabulary[s] for s in said)
    return sum(signal.vocabulary[s] for s in denied) / total if total else 0.0


def _strength(found: tuple[float, float]) -> float:
    return found[0] + CONFLICT_RANK * found[1]


def _denial(signal: PreparedSignal, answer: ReadAnswer, best: Match) -> Match | None:
    """The window that denies what the best match asserts: another sentence, or that one itself."""
    if _says_both(signal, best.window):
        return best
    for window in (*answer.windows, *answer.set_aside):
        if window.size > 1 or best.window.start <= window.start < best.window.end:
            continue
        for phrase in signal.accepts:
            agree, conflict = shares(window, phrase)
            clear = agree + conflict >= CLEAR_SHARE * best.found
            if clear and conflict > max(agree, DENIED_SHARE):
                return Match(window, phrase, agree, conflict)
    return None


def _says_both(signal: PreparedSignal, window: Window) -> bool:
    """Whether a window asserts and denies at least two words of a signal.

    One word in both roles is no contradiction ("the free blocks are not free for long").
    """
    both = {Polarity.ASSERTED, Polarity.DENIED}
    mixed = [s for s, used in window.stems.items() if s in signal.vocabulary and both <= {*used}]
    return len(mixed) > 1


def terms_share(signal: PreparedSignal, window: Window) -> float:
    """Share of the groups of synonyms of which the window says one; 0 without groups."""
    if not signal.terms:
        return 0.0
    said = sum(any(window.says(term) for term in group) for group in signal.terms)
    return said / len(signal.terms)


def figures_share(signal: PreparedSignal, window: Window, answer: ReadAnswer) -> float:
    """Share of the expected figures that stand in the window; 0 where none is expected."""
    if not signal.figures:
        return 0.0
    near = answer.figures_in(window)
    hit = sum(any(matches(q, want, tol) for q in near) for want, tol in signal.figures)
    return hit / len(signal.figures)
