"""Stretches of an answer that repeat the question, or the rubric behind it.

Both compare runs of words. A phrase counts as repeated only when nearly all of it stands in the
answer in its order, so that the common phrases of the field, which every good answer shares with
the rubric, stay free.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from grader.bank.words import content_words
from grader.domain.question import Question, SignalKind
from grader.judges.guard.words import Word, words_of
from grader.judges.normalise import normalise
from grader.judges.segments import Span

_RUN = 3
_JOIN = 2
_ECHO_COVER = 0.8
_SHORT_ECHO_COVER = 0.99
_ECHO_SIGNALS = 3
_MOST = 0.7
_VERY_LONG_WORDS = 12
_LONG_WORDS = 8
_LONG_CONTENT = 5
_TELLING_WORDS = 4
_TELLING_CONTENT = 3
_COPY_COVER = 0.9
_COPY_WORDS = 8


@dataclass(frozen=True, slots=True)
class _Phrase:
    signal: str
    words: tuple[str, ...]
    n_content: int

    @property
    def is_very_long(self) -> bool:
        """Whether nobody says all of it by chance."""
        return self.is_long and len(self.words) >= _VERY_LONG_WORDS

    @property
    def is_long(self) -> bool:
        """Whether it is long enough to be told from what everybody says."""
        return self.n_content >= _LONG_CONTENT and len(self.words) >= _LONG_WORDS

    @property
    def is_telling(self) -> bool:
        """Whether it tells something beside others of the same rubric."""
        return self.n_content >= _TELLING_CONTENT and len(self.words) >= _TELLING_WORDS


def question_copies(
    question: Question, words: Sequence[Word], sentences: Sequence[Sequence[int]]
) -> list[Span]:
    """Sentences that are words of the prompt in its order, and little else.

    Args:
        question: Gives the prompt.
        words: All words of the answer.
        sentences: Indices of the words of each sentence.
    """
    prompt = _plain_words(question.prompt)
    covered = _covered_words([w.text for w in words], _runs(prompt))
    found = []
    for indices in sentences:
        if len(indices) < _COPY_WORDS or sum(map(covered.__getitem__, indices)) < (
            _COPY_COVER * len(indices)
        ):
            continue
        if not any(_is_new_figure(words[i].text, prompt) for i in indices):
            found.append(Span(words[indices[0]].start, words[indices[-1]].end))
    return found


def _is_new_figure(word: str, prompt: Sequence[str]) -> bool:
    return any(c.isdigit() for c in word) and word not in prompt


def rubric_echoes(
    question: Question, words: Sequence[Word], sentences: Sequence[Sequence[int]]
) -> list[Span]:
    """Stretches that repeat a whole statement or accepted phrasing of a positive signal.

    A very long phrase counts by itself, a long one where it is most of its sentence, and any
    telling one beside echoes of other signals.

    Args:
        question: Gives the rubric.
        words: All words of the answer.
        sentences: Indices of the words of each sentence.
    """
    positive = [s for s in question.signals if s.kind is SignalKind.POSITIVE]
    phrases = _phrases(tuple((s.id, p) for s in positive for p in (s.statement, *s.accept)))
    ends = [indices[-1] for indices in sentences if indices]
    sure: set[Span] = set()
    perhaps: set[Span] = set()
    signals: set[str] = set()
    for p, first, last in _repeated(phrases, words):
        phrase, cover = phrases[p], _cover(phrases[p], words[first : last + 1])
        if cover < (_ECHO_COVER if phrase.is_long else _SHORT_ECHO_COVER):
            continue
        if not phrase.is_telling:
            continue
        signals.add(phrase.signal)
        alone = phrase.is_very_long or (phrase.is_long and _is_most(ends, first, last))
        (sure if alone else perhaps).add(Span(words[first].start, words[last].end))
    return sorted(sure | perhaps if len(signals) >= _ECHO_SIGNALS else sure)


def _is_most(ends: Sequence[int], first: int, last: int) -> bool:
    """Whether the words from first to last are most of the sentences they stand in."""
    head, tail = bisect_left(ends, first), bisect_left(ends, last)
    begin = ends[head - 1] + 1 if head else 0
    return last - first + 1 >= _MOST * (ends[tail] - begin + 1)


def _repeated(
    phrases: tuple[_Phrase, ...], words: Sequence[Word]
) -> Iterator[tuple[int, int, int]]:
    """Phrases of which runs stand close together: phrase, first and last word."""
    index = _index(phrases)
    places: dict[int, list[int]] = {}
    texts = [word.text for word in words]
    for i in range(len(words) - _RUN + 1):
        for p in index.get(tuple(texts[i : i + _RUN]), ()):
            places.setdefault(p, []).append(i)
    for p, at in places.items():
        for first, last in _clusters(at):
            yield p, first, last


def _cover(phrase: _Phrase, words: Sequence[Word]) -> float:
    """Share of a phrase's words that stand in runs of the answer's words."""
    said = _runs([w.text for w in words])
    return sum(_covered_words(phrase.words, said)) / len(phrase.words)


def _clusters(starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Joins runs that begin at rising indices and lie near each other: first and last word."""
    first, last = starts[0], starts[0] + _RUN - 1
    for at in starts[1:]:
        if at - last - 1 > _JOIN:
            yield first, last
            first = at
        last = at + _RUN - 1
    yield first, last


@lru_cache(maxsize=256)
def _phrases(texts: tuple[tuple[str, str], ...]) -> tuple[_Phrase, ...]:
    return tuple(
        _Phrase(signal, _plain_words(text), sum(w.isalpha() for w in content_words(text)))
        for signal, text in texts
    )


@lru_cache(maxsize=256)
def _index(phrases: tuple[_Phrase, ...]) -> dict[tuple[str, ...], list[int]]:
    index: dict[tuple[str, ...], list[int]] = {}
    for p, phrase in enumerate(phrases):
        for run in _runs(phrase.words):
            index.setdefault(run, []).append(p)
    return index


@lru_cache(maxsize=1024)
def _plain_words(text: str) -> tuple[str, ...]:
    return tuple(w.text for w in words_of(normalise(text)))


def _runs(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1))


def _covered_words(words: Sequence[str], runs: frozenset[tuple[str, ...]]) -> list[bool]:
    """Which words lie in a run of the set."""
    covered = [False] * len(words)
    for i in range(len(words) - _RUN + 1):
        if tuple(words[i : i + _RUN]) in runs:
            covered[i : i + _RUN] = [True] * _RUN
    return covered
