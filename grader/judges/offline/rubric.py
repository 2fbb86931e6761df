"""What the judge prepares once for a question: phrases, weights of their words, terms, figures."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from grader.domain.question import GlossaryTerm, Number, Question, Signal, SignalKind
from grader.judges.offline.lexicon import FUNCTION_WORDS
from grader.judges.offline.numbers import Quantity, expected
from grader.judges.offline.polarity import Polarity
from grader.judges.offline.spelling import Spelling
from grader.judges.offline.words import Aliases, Word, content_words, word_texts

PROMPT_PERCENT = 30
_CACHED_QUESTIONS = 256
_GRAM = 4

Weights = Mapping[str, int]
"""Stem -> weight in thousandths: whole numbers add up the same in any order."""


@dataclass(frozen=True)
class Phrase:
    """One phrasing of a signal.

    Attributes:
        words: Content stems in order of place -> the polarities they are used with.
        weight: Stem -> inverse document frequency, demoted where the prompt says the word.
        total: Sum of the weights.
        pairs: Neighbouring content stems.
        grams: Character 4-grams.
    """

    words: Mapping[str, tuple[Polarity, ...]]
    weight: Weights
    total: int
    pairs: frozenset[tuple[str, str]]
    grams: frozenset[str]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The content stems."""
        return frozenset(self.words)


@dataclass(frozen=True)
class PreparedSignal:
    """A signal with all that its features need.

    Attributes:
        accepts: The statement and the accepted phrasings.
        rejects: Near-misses.
        terms: Groups of synonyms, each synonym as its content stems.
        figures: Expected figures with their tolerance.
        vocabulary: Every word of accepts and terms -> its weight.
    """

    id: str
    negative: bool
    accepts: tuple[Phrase, ...]
    rejects: tuple[Phrase, ...]
    terms: tuple[tuple[frozenset[str], ...], ...]
    figures: tuple[tuple[Quantity, float], ...]
    vocabulary: Weights

    @cached_property
    def accept_vocabulary(self) -> frozenset[str]:
        """All content stems of the accepted phrasings."""
        return frozenset(s for p in self.accepts for s in p.words)

    @cached_property
    def polarities(self) -> Mapping[str, tuple[Polarity, ...]]:
        """Word of the vocabulary -> how the accepted phrasings use it; a mere term is asserted."""
        used: dict[str, tuple[Polarity, ...]] = {}
        for phrase in self.accepts:
            for stem, polarities in phrase.words.items():
                used[stem] = tuple(dict.fromkeys((*used.get(stem, ()), *polarities)))
        return {stem: used.get(stem, (Polarity.ASSERTED,)) for stem in self.vocabulary}

    @cached_property
    def reject_only(self) -> Weights:
        """Weights of the words that mark a near-miss: in a reject, in no accept."""
        return {
            s: w for p in self.rejects for s, w in p.weight.items()
            if s not in self.accept_vocabulary
        }  # fmt: skip


@dataclass(frozen=True)
class PreparedQuestion:
    """All signals of a question, with the vocabulary they share."""

    signals: tuple[PreparedSignal, ...]
    aliases: Aliases
    prompt_stems: frozenset[str]
    spelling: Spelling

    def signal(self, signal_id: str) -> PreparedSignal:
        """The prepared signal of that id."""
        return next(s for s in self.signals if s.id == signal_id)


class Background:
    """How common words are in general, from a list of document frequencies.

    Args:
        idf: Stem -> inverse document frequency, for the common ones.
        unseen: The value for every other word.
    """

    def __init__(self, idf: Mapping[str, float], unseen: float) -> None:
        self._weights = {stem: round(1000 * value) for stem, value in idf.items()}
        self._unseen = round(1000 * unseen)

    def weight(self, stem: str) -> int:
        """Inverse document frequency of a stem in thousandths."""
        return self._weights.get(stem, self._unseen)


def prepare(question: Question, background: Background) -> PreparedQuestion:
    """Prepares a question; equal rubrics share one preparation."""
    return _prepared(question.prompt, question.signals, question.glossary, background)


@lru_cache(maxsize=_CACHED_QUESTIONS)
def _prepared(
    prompt: str,
    signals: tuple[Signal, ...],
    glossary: tuple[GlossaryTerm, ...],
    background: Background,
) -> PreparedQuestion:
    aliases = _aliases(glossary)
    prompt_stems = frozenset(w.stem for w in content_words(prompt, aliases))
    builder = _Builder(aliases, prompt_stems, background)
    prepared = tuple(builder.signal(s) for s in signals)
    return PreparedQuestion(prepared, aliases, prompt_stems, Spelling(_vocabulary(prepared)))


def _vocabulary(signals: Iterable[PreparedSignal]) -> list[str]:
    found: dict[str, None] = {}
    for signal in signals:
        found.update(dict.fromkeys(signal.vocabulary))
        found.update(dict.fromkeys(s for p in signal.rejects for s in p.words))
    return list(found)


def _aliases(glossary: Sequence[GlossaryTerm]) -> Aliases:
    """Spoken forms and mishearings by their first word, longest first."""
    table: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for entry in glossary:
        term = word_texts(entry.term)
        for variant in (*entry.spoken, *entry.heard_as):
            words = word_texts(variant)
            if words and words != term and any(w not in FUNCTION_WORDS for w in words):
                table.setdefault(words[0], []).append((words, term))
    return {first: sorted(found, key=lambda v: -len(v[0])) for first, found in table.items()}


@dataclass(frozen=True)
class _Builder:
    aliases: Aliases
    prompt_stems: frozenset[str]
    background: Background

    def signal(self, signal: Signal) -> PreparedSignal:
        accepts = self._phrases((signal.statement, *signal.accept))
        terms = self._terms(signal)
        words = [s for p in accepts for s in p.words]
        words += sorted(s for group in terms for term in group for s in term)
        return PreparedSignal(
            id=signal.id,
            negative=signal.kind is SignalKind.NEGATIVE,
            accepts=accepts,
            rejects=self._phrases(signal.reject),
            terms=terms,
            figures=_figures(signal.numbers),
            vocabulary={stem: self._weight(stem) for stem in words},
        )

    def _phrases(self, texts: Iterable[str]) -> tuple[Phrase, ...]:
        return tuple(p for p in map(self._phrase, texts) if p.words)

    def _phrase(self, text: str) -> Phrase:
        words = content_words(text, self.aliases)
        weight = {w.stem: self._weight(w.stem) for w in words}
        return Phrase(
            words=_polarities(words),
            weight=weight,
            total=sum(weight.values()),
            pairs=frozenset((a.stem, b.stem) for a, b in itertools.pairwise(words)),
            grams=grams(w.stem for w in words),
        )

    def _weight(self, stem: str) -> int:
        weight = self.background.weight(stem)
        return weight * PROMPT_PERCENT // 100 if stem in self.prompt_stems else weight

    def _terms(self, signal: Signal) -> tuple[tuple[frozenset[str], ...], ...]:
        groups = (
            tuple(t for t in (self._stems(term) for term in group) if t) for group in signal.terms
        )
        return tuple(g for g in groups if g)

    def _stems(self, text: str) -> frozenset[str]:
        return frozenset(w.stem for w in content_words(text, self.aliases))


def _polarities(words: Iterable[Word]) -> dict[str, tuple[Polarity, ...]]:
    found: dict[str, tuple[Polarity, ...]] = {}
    for word in words:
        if word.polarity not in found.get(word.stem, ()):
            found[word.stem] = (*found.get(word.stem, ()), word.polarity)
    return found


def _figures(numbers: Iterable[Number]) -> tuple[tuple[Quantity, float], ...]:
    pairs = ((expected(n), n.tolerance) for n in numbers)
    return tuple((quantity, tolerance) for quantity, tolerance in pairs if quantity is not None)


def grams(stems: Iterable[str]) -> frozenset[str]:
    """Character 4-grams of content stems in order, kept apart by one blank."""
    flat = f" {' '.join(stems)} "
    return frozenset(flat[i : i + _GRAM] for i in range(len(flat) - _GRAM + 1))
