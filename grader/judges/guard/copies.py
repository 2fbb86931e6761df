"""Stretches of an answer that repeat the question, or the rubric behind it.

Both compare runs of words. A phrase counts as repeated only when nearly all of it stands in the
answer in its order, so that the common phrases of the field, which every good answer shares with
the rubric, stay free.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from grader.bank.words import content_words
from grader.domain.question import Question
from grader.judges.guard.words import Word, words_of
from grader.judges.normalise import normalise
from grader.judges.segments import Span

_RUN = 3
_JOIN = 2
_ECHO_COVER = 0.8
_ECHO_CONTENT = 5
_ECHO_WORDS = 8
_COPY_COVER = 0.85
_COPY_WORDS = 6


@dataclass(frozen=True, slots=True)
class _Phrase:
    words: tuple[str, ...]
    n_content: int


def question_copies(
    question: Question, words: Sequence[Word], sentences: Sequence[Sequence[int]]
) -> list[Span]:
    """Sentences that are words of the prompt in its order, and little else.

    Args:
        question: Gives the prompt.
        words: All words of the answer.
        sentences: Indices of the words of each sentence.
    """
    runs = _runs(_plain_words(question.prompt))
    covered = _covered(words, runs)
    found = []
    for indices in sentences:
        if len(indices) < _COPY_WORDS:
            continue
        if sum(covered[i] for i in indices) >= _COPY_COVER * len(indices):
            found.append(Span(words[indices[0]].start, words[indices[-1]].end))
    return found


def rubric_echoes(question: Question, words: Sequence[Word]) -> list[Span]:
    """Stretches that repeat a whole statement or accepted phrasing of the rubric."""
    phrases = _phrases(tuple(p for s in question.signals for p in (s.statement, *s.accept)))
    index = _index(phrases)
    places: dict[int, list[int]] = {}
    for i in range(len(words) - _RUN + 1):
        for p in index.get(tuple(w.text for w in words[i : i + _RUN]), ()):
            places.setdefault(p, []).append(i)
    found = []
    for p, at in places.items():
        for first, last in _clusters(at):
            if _repeats(phrases[p], words[first : last + 1]):
                found.append(Span(words[first].start, words[last].end))
    return sorted(set(found))


def _repeats(phrase: _Phrase, words: Sequence[Word]) -> bool:
    if phrase.n_content < _ECHO_CONTENT or len(phrase.words) < _ECHO_WORDS:
        return False
    said = _runs([w.text for w in words])
    covered = sum(_covered_words(phrase.words, said))
    return covered >= _ECHO_COVER * len(phrase.words)


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
def _phrases(texts: tuple[str, ...]) -> tuple[_Phrase, ...]:
    return tuple(_Phrase(tuple(_plain_words(t)), len(content_words(t))) for t in texts)


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


def _covered(words: Sequence[Word], runs: frozenset[tuple[str, ...]]) -> list[bool]:
    return _covered_words([w.text for w in words], runs)


def _covered_words(words: Sequence[str], runs: frozenset[tuple[str, ...]]) -> list[bool]:
    """Which words lie in a run of the set."""
    covered = [False] * len(words)
    for i in range(len(words) - _RUN + 1):
        if tuple(words[i : i + _RUN]) in runs:
            covered[i : i + _RUN] = [True] * _RUN
    return covered
