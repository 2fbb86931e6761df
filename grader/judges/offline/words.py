"""Turning text into sentences of content words that carry a stem, a polarity and their place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.judges.normalise import normalise
from grader.judges.offline.lexicon import FUNCTION_WORDS, stem
from grader.judges.offline.polarity import Polarity, polarities
from grader.judges.segments import Span, segments

_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*(?:'[^\W_]+)?|[.,;:!?()\[\]]|-(?= )")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a punctuation mark in normal form, and its span in code points of the text."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it is no punctuation mark."""
        return self.text[0].isalnum()


@dataclass(frozen=True, slots=True)
class Word:
    """A content word of a text.

    Attributes:
        stem: What is compared.
        start: First code point.
        end: One past the last.
        polarity: Whether the text asserts or denies it.
    """

    stem: str
    start: int
    end: int
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class Sentence:
    """Content words of one sentence, and the span from its first to its last word."""

    words: tuple[Word, ...]
    start: int
    end: int
    n_tokens: int


Aliases = Mapping[str, Sequence[tuple[tuple[str, ...], tuple[str, ...]]]]
"""First word of a variant -> (the words of the variant, the words that it stands for)."""


def sentence(text: str, span: Span, aliases: Aliases) -> Sentence | None:
    """The content words of one sentence; None where it has no word.

    Args:
        text: The text that all places point into.
        span: The sentence within it.
        aliases: Spoken forms and mishearings to read as the term that they stand for.
    """
    part = _tokens(text, span)
    spoken = [t for t in part if t.is_word]
    if not spoken:
        return None
    words = tuple(_content_words(part, aliases))
    return Sentence(words, spoken[0].start, spoken[-1].end, len(spoken))


def content_words(text: str, aliases: Aliases) -> list[Word]:
    """The content words of a whole text, in order."""
    found = (sentence(text, span, aliases) for span in segments(text))
    return [word for s in found if s is not None for word in s.words]


def word_texts(text: str) -> tuple[str, ...]:
    """All words of a text in normal form, without punctuation."""
    return tuple(m[0] for m in _TOKEN.finditer(normalise(text).text) if m[0][0].isalnum())


def _tokens(text: str, span: Span) -> list[Token]:
    normal = normalise(text[span.start : span.end])
    return [
        Token(m[0], span.start + normal.starts[m.start()], span.start + normal.ends[m.end() - 1])
        for m in _TOKEN.finditer(normal.text)
    ]


def _content_words(part: Sequence[Token], aliases: Aliases) -> Iterator[Word]:
    marks = polarities([t.text for t in part])
    i = 0
    while i < len(part):
        texts, taken = _canonical(part, i, aliases)
        for text in texts:
            if text[0].isalnum() and text not in FUNCTION_WORDS and "'" not in text:
                yield Word(stem(text), part[i].start, part[i + taken - 1].end, marks[i])
        i += taken


def _canonical(part: Sequence[Token], i: int, aliases: Aliases) -> tuple[tuple[str, ...], int]:
    """The words to read at token i, and how many tokens they stand for."""
    for variant, term in aliases.get(part[i].text, ()):
        if tuple(t.text for t in part[i : i + len(variant)]) == variant:
            return term, len(variant)
    return (part[i].text.removesuffix("'s"),), 1
