"""The features of one signal in one answer, each a share between 0 and 1 where not said else."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.judges.offline.lexicon import OPPOSITES
from grader.judges.offline.match import Match, ReadAnswer, Window, best_match, match
from grader.judges.offline.numbers import matches
from grader.judges.offline.rubric import Background, Phrase, PreparedSignal

NAMES = (
    "agree",
    "agree_whole",
    "agree_mean",
    "plain",
    "precision",
    "bm25",
    "grams",
    "pairs",
    "terms",
    "no_terms",
    "figures",
    "reject",
    "reject_words",
    "conflict",
    "opposite",
    "length",
    "negative",
)
_BM25_K1 = 1.2
_BM25_B = 0.75
_BM25_MEAN_LENGTH = 12.0


@dataclass(frozen=True)
class SignalFeatures:
    """What was measured, and where.

    Attributes:
        values: One figure per name of ``NAMES``.
        best: The window and phrase most alike; None where nothing of the rubric was found.
        contradiction: Another window that says nearly the same with the opposite polarity.
        missing_figures: How many of the expected figures the answer does not state.
    """

    values: tuple[float, ...]
    best: Match | None
    contradiction: Match | None
    missing_figures: int

    def __getitem__(self, name: str) -> float:
        """The value of a feature by its name."""
        return self.values[NAMES.index(name)]


def measure(signal: PreparedSignal, answer: ReadAnswer, background: Background) -> SignalFeatures:
    """Measures one signal in one answer."""
    best = best_match(answer.windows, signal.accepts)
    hits = [any(matches(q, want, tol) for q in answer.figures) for want, tol in signal.figures]
    common = _answer_features(signal, answer, hits)
    if best is None:
        values = tuple(common.get(name, 0.0) for name in NAMES)
        return SignalFeatures(values, None, None, hits.count(False))
    measured = common | _match_features(signal, best, answer, background)
    return SignalFeatures(
        values=tuple(round(measured[name], 6) for name in NAMES),
        best=best,
        contradiction=_contradiction(best, answer, signal),
        missing_figures=hits.count(False),
    )


def _answer_features(
    signal: PreparedSignal, answer: ReadAnswer, hits: Sequence[bool]
) -> dict[str, float]:
    covered = [any(_says(answer.whole, term) for term in group) for group in signal.terms]
    return {
        "terms": sum(covered) / len(covered) if covered else 0.0,
        "no_terms": float(not covered),
        "figures": sum(hits) / len(hits) - 0.5 if hits else 0.0,
        "length": min(1.0, math.log1p(answer.n_words) / math.log1p(300)),
        "negative": float(signal.negative),
    }


def _says(window: Window, term: Sequence[str]) -> bool:
    return all(stem in window.stems for stem in term)


def _match_features(
    signal: PreparedSignal, best: Match, answer: ReadAnswer, background: Background
) -> dict[str, float]:
    window, phrase = best.window, best.phrase
    per_phrase = [_best_agree(answer, p) for p in signal.accepts]
    reject = best_match([window], signal.rejects)
    return {
        "agree": best.agree,
        "agree_whole": max(match(answer.whole, p).agree for p in signal.accepts),
        "agree_mean": sum(per_phrase) / len(per_phrase),
        "plain": _plain_share(window, phrase),
        "precision": _precision(window, signal, background),
        "bm25": best.agree * _length_factor(len(window.order)),
        "grams": max(_cosine(window.grams, p.grams) for p in signal.accepts),
        "pairs": _pair_share(window, phrase),
        "reject": max(0.0, reject.agree - best.agree) if reject else 0.0,
        "reject_words": _reject_words(window, signal),
        "conflict": best.conflict,
        "opposite": opposite_share(window, phrase, signal),
    }


def _best_agree(answer: ReadAnswer, phrase: Phrase) -> float:
    return max(match(w, phrase).agree for w in answer.windows)


def _plain_share(window: Window, phrase: Phrase) -> float:
    found = sum(w for s, w in phrase.plain.items() if s in window.stems)
    return found / (phrase.plain_total or 1.0)


def _precision(window: Window, signal: PreparedSignal, background: Background) -> float:
    """Share of the window's own weight that the signal's vocabulary explains."""
    weights = [(s, background.weight(s)) for s in dict.fromkeys(window.order)]
    total = sum(w for _, w in weights)
    known = sum(w for s, w in weights if s in signal.accept_vocabulary)
    return known / total if total else 0.0


def _length_factor(n_words: int) -> float:
    """Term-frequency saturation of BM25 (Robertson and Zaragoza, 2009) for a single hit."""
    norm = 1 - _BM25_B + _BM25_B * n_words / _BM25_MEAN_LENGTH
    return min(1.0, (_BM25_K1 + 1) / (1 + _BM25_K1 * norm))


def _cosine(left: frozenset[str], right: frozenset[str]) -> float:
    if not left or not right:
        return 0.0
    return len(left & right) / math.sqrt(len(left) * len(right))


def _pair_share(window: Window, phrase: Phrase) -> float:
    """Share of the phrase's neighbouring words that stand together in the window."""
    if not phrase.pairs:
        return 0.0
    order = window.order
    near = {*itertools.pairwise(order), *zip(order, order[2:], strict=False)}
    return len(phrase.pairs & near) / len(phrase.pairs)


def _reject_words(window: Window, signal: PreparedSignal) -> float:
    """How much of one near-miss's own wording stands in the window."""
    shares = [
        _found_share(window, [s for s in p.weight if s in signal.reject_only], p)
        for p in signal.rejects
    ]
    return max(shares, default=0.0)


def _found_share(window: Window, stems: Sequence[str], phrase: Phrase) -> float:
    total = sum(phrase.weight[s] for s in stems)
    found = sum(phrase.weight[s] for s in stems if s in window.stems)
    return found / total if total else 0.0


def opposite_share(window: Window, phrase: Phrase, signal: PreparedSignal) -> float:
    """Share of the phrase's weight that is missing while its opposite is said."""
    said = set(window.order)
    missing = (s for s in phrase.words if s not in window.stems)
    wrong = (
        s for s in missing
        if (OPPOSITES.get(s, frozenset()) & said) - signal.accept_vocabulary
    )  # fmt: skip
    return sum(phrase.weight[s] for s in wrong) / (phrase.total or 1.0)


def _contradiction(best: Match, answer: ReadAnswer, signal: PreparedSignal) -> Match | None:
    """A window elsewhere that denies what the best one asserts."""
    return next(_rivals(best, answer, signal), None)


def _rivals(best: Match, answer: ReadAnswer, signal: PreparedSignal) -> Iterator[Match]:
    for window in answer.windows:
        if window.size > 1 or not window.stems:
            continue
        for phrase in signal.accepts:
            rival = match(window, phrase)
            if rival.conflict > max(rival.agree, 0.5) and rival.found >= 0.7 * best.found:
                yield rival
