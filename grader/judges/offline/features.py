"""The features of one signal in one answer, each a share between 0 and 1 where not said else."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.judges.offline.match import Match, ReadAnswer, Window, match
from grader.judges.offline.rubric import Background, Phrase, PreparedSignal
from grader.judges.offline.search import Finding, figures_share, find, terms_share

NAMES = (
    "agree",
    "agree_whole",
    "agree_mean",
    "precision",
    "bm25",
    "grams",
    "pairs",
    "terms",
    "terms_near",
    "no_terms",
    "figures",
    "figures_near",
    "reject",
    "reject_words",
    "length",
    "negative",
)
_LONG_ANSWER = 30
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
        denied_share: Share of the signal's words in the window, by weight, that it uses as none
            of its phrasings does.
        states_figures: Whether the answer states an expected figure, where there is any.
    """

    values: tuple[float, ...]
    best: Match | None
    contradiction: Match | None
    denied_share: float
    states_figures: bool

    def __getitem__(self, name: str) -> float:
        """The value of a feature by its name."""
        return self.values[NAMES.index(name)]


def measure(signal: PreparedSignal, answer: ReadAnswer, background: Background) -> SignalFeatures:
    """Measures one signal in one answer."""
    finding = find(signal, answer)
    values = dict.fromkeys(NAMES, 0.0) | _answer_features(signal, answer)
    if finding is not None:
        values |= _match_features(signal, finding, answer, background)
    return SignalFeatures(
        values=tuple(round(values[name], 6) for name in NAMES),
        best=finding.match if finding else None,
        contradiction=finding.denial if finding else None,
        denied_share=finding.denied_share if finding else 0.0,
        states_figures=not signal.figures or figures_share(signal, answer.whole, answer) > 0,
    )


def _answer_features(signal: PreparedSignal, answer: ReadAnswer) -> dict[str, float]:
    figures = figures_share(signal, answer.whole, answer)
    return {
        "terms": terms_share(signal, answer.whole),
        "no_terms": float(not signal.terms),
        "figures": figures - 0.5 if signal.figures else 0.0,
        "length": 0.0 if signal.terms else _length(answer.n_words),
        "negative": float(signal.negative),
    }


def _length(n_words: int) -> float:
    """Length up to that of a full answer, so that padding earns nothing.

    Counted only for a signal without terms, where few words are all that tells a remark from an
    answer; with terms a short answer is as good as a long one.
    """
    return min(1.0, math.log1p(n_words) / math.log1p(_LONG_ANSWER))


def _match_features(
    signal: PreparedSignal, finding: Finding, answer: ReadAnswer, background: Background
) -> dict[str, float]:
    window, phrase, agree = finding.match.window, finding.match.phrase, finding.match.agree
    rejected = max((match(window, p).agree for p in signal.rejects), default=0.0)
    return {
        "agree": agree,
        "agree_whole": max(match(answer.whole, p).agree for p in signal.accepts),
        "agree_mean": finding.agree_mean,
        "precision": _precision(window, signal, background),
        "bm25": agree * _length_factor(len(window.order)),
        "grams": max(_cosine(window.grams, p.grams) for p in signal.accepts),
        "pairs": _pair_share(window, phrase),
        "terms_near": finding.terms_near,
        "figures_near": finding.figures_near - 0.5 if signal.figures else 0.0,
        "reject": max(0.0, rejected - agree),
        "reject_words": _reject_words(window, signal),
    }


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
