"""Lists of terms without a proposition: told by how few function words hold them together."""

import re
from collections.abc import Sequence

from grader.judges.guard.words import Word
from grader.judges.segments import Span

_FUNCTION_WORDS = frozenset(
    """a an the and or but nor so if then than that which who whose what when where while because
    since as of in on at by for from to into onto over under with without within between through
    during before after above below up down out off per via is are was were be been being am do
    does did has have had will would can could should must may might not no it its it's they them
    their this these those there here we us our you your i my he she his her one ones each every all
    any some such same other another both either neither more most less least much many few only
    just also even still already again once how why whether however therefore thus hence instead
    rather too very about across until unless though although don't doesn't isn't can't won't
    that's there's means makes make gets get lets let needs need uses use using keeps
    goes""".split()
)
_OPERATORS = re.compile(r"[=≈≤≥<>]|\d\s*[*x/+]\s*\d")
_LIST_WORDS = 6
_DUMP_WORDS = 10
_LONG_DUMP_WORDS = 20
_UNSEPARATED_ITEMS = 2
_BARE_SHARE = 0.12
_LIST_SHARE = 0.2
_DUMP_SHARE = 0.08
_ITEM_WORDS = 3.0
_FEWEST_ITEMS = 5
_FEWEST_ITEMS_IN_PROSE = 8
_FIGURES_SHARE = 0.3


def keyword_spans(
    text: str, words: Sequence[Word], sentences: Sequence[Sequence[int]]
) -> list[Span]:
    """Stretches that only list terms.

    Neighbouring sentences without function words are read together, so that a list of bullets is
    one stretch. Where other sentences make propositions a stretch must be longer, since a good
    answer may enumerate.

    Args:
        text: The answer.
        words: Its words.
        sentences: Indices of the words of each sentence.
    """
    stretches = _stretches(words, sentences)
    listed = sum(len(s) for s in stretches)
    total = sum(len(s) for s in sentences)
    fewest = _FEWEST_ITEMS if listed >= 0.8 * total else _FEWEST_ITEMS_IN_PROSE
    found = []
    for indices in stretches:
        span = Span(words[indices[0]].start, words[indices[-1]].end)
        if _is_list(text[span.start : span.end], [words[i] for i in indices], fewest):
            found.append(span)
    return found


def _stretches(words: Sequence[Word], sentences: Sequence[Sequence[int]]) -> list[list[int]]:
    """Runs of neighbouring sentences in which hardly a function word stands."""
    runs: list[list[int]] = []
    joined = False
    for indices in sentences:
        if not indices:
            continue
        bare = _is_bare([words[i] for i in indices])
        if bare and joined:
            runs[-1].extend(indices)
        elif bare:
            runs.append(list(indices))
        joined = bare
    return runs


def _is_bare(words: Sequence[Word]) -> bool:
    """Whether words could be items of a list: hardly held together, or very few."""
    return _function_share(words) <= _BARE_SHARE or len(words) <= _ITEM_WORDS


def _function_share(words: Sequence[Word]) -> float:
    return sum(w.text in _FUNCTION_WORDS for w in words) / len(words)


def _is_list(text: str, words: Sequence[Word], fewest_items: int) -> bool:
    figures = sum(any(c.isdigit() for c in w.text) for w in words)
    if len(words) < _LIST_WORDS or figures > _FIGURES_SHARE * len(words):
        return False
    if not all(w.text.isascii() for w in words) or _OPERATORS.search(text):
        return False
    items = 1 + sum(w.lists for w in words[1:])
    share = _function_share(words)
    if items >= fewest_items and len(words) <= _ITEM_WORDS * items:
        return share <= _LIST_SHARE
    long = fewest_items > _FEWEST_ITEMS or items > _UNSEPARATED_ITEMS
    return len(words) >= (_LONG_DUMP_WORDS if long else _DUMP_WORDS) and share <= _DUMP_SHARE
