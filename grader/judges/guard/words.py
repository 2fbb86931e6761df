"""Words of a mapped text with their place in the answer: what all detectors of the guard read."""

import re
from typing import NamedTuple

from grader.judges.normalise import MappedText
from grader.judges.segments import Span

PLACEHOLDER = "█"
"""Stands for each masked code point; no detector looks across it."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]"
    r"|(?:[^\W_\u3040-\u30ff\u3400-\u9fff]|[\u0900-\u0963\u0966-\u0d7f\u0e00-\u0eff])+"
    r"(?:'[^\W_]+)*"
)
_SENTENCE_BREAK = re.compile(r"[.!?](?:\s|$)|[。!?।]|\n")
_CLAUSE_MARKS = frozenset(",;:()[]{}<>\"'*#|/=\n.!?-。،؛、·»«")


class Word(NamedTuple):
    """A word of a view; a tuple, since an answer has hundreds of them.

    Attributes:
        text: In normal form, without a possessive s.
        start: First code point in the answer.
        end: One past the last in the answer.
        position: Counts words; a sentence break counts as some words, a placeholder as many.
        opens: Whether a clause begins here.
        lists: Whether a list separator (comma, semicolon, line, bullet) stands before it.
    """

    text: str
    start: int
    end: int
    position: int
    opens: bool
    lists: bool

    @property
    def span(self) -> Span:
        """Its place in the answer."""
        return Span(self.start, self.end)


_SPACED_SEPARATORS = frozenset("-*/+&")
_BREAK_COST = 2
_WALL = 1000


def words_of(view: MappedText) -> list[Word]:
    """The words of a view in order."""
    words: list[Word] = []
    position, previous_end = 0, 0
    text, source_span = view.text, view.source_span
    for match in _WORD.finditer(text):
        begin, stop = match.span()
        between = text[previous_end:begin]
        if between == " ":
            cost, opens, lists = 0, False, False
        else:
            cost, opens, lists = _gap(between, first=not words)
        position += 1 + cost
        start, end = source_span(begin, stop)
        words.append(Word(match.group().removesuffix("'s"), start, end, position, opens, lists))
        previous_end = stop
    return words


def _gap(between: str, *, first: bool) -> tuple[int, bool, bool]:
    """Cost in words of what stands between two words; whether it opens a clause, or a list item."""
    if not (between or first):
        return 0, False, False
    if PLACEHOLDER in between:
        return _WALL, False, True
    opens = first or any(c in _CLAUSE_MARKS for c in between)
    lists = any(c in ",;|•\n" for c in between) or between.strip() in _SPACED_SEPARATORS
    return (_BREAK_COST if _SENTENCE_BREAK.search(between) else 0), opens, lists
