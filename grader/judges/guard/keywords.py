"""Lists of terms without a proposition: told by how few words hold them together."""

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
_VERBS = frozenset(
    """
    reads rereads writes loads stores moves copies streams waits limits bounds dominates grows
    shrinks rises falls drops scales increases decreases reduces raises lowers improves hurts
    helps removes avoids prevents causes creates leaves holds maps points shares splits divides
    merges batches schedules admits evicts preempts resumes accepts rejects verifies proposes
    computes multiplies saturates hides overlaps amortises amortizes allows requires depends
    becomes stays takes gives costs saves wastes fits fills reaches runs works fails returns
    stops starts contains includes comprises covers lists provides offers supports adds has
    consists
    """.split()
)
_BINDING = _FUNCTION_WORDS | _VERBS
"""Words that hold terms together; a verb in the third person makes a proposition."""
_OPERATORS = re.compile(r"[=≈≤≥<>]|\d\s*[*x/+]\s*\d")
_LIST_WORDS = 6
_DUMP_WORDS = 10
_LONG_DUMP_WORDS = 20
_UNSEPARATED_ITEMS = 2
_BARE_SHARE = 0.15
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
    listed = sum(len(indices) for stretch in stretches for indices in stretch)
    total = sum(len(indices) for indices in sentences)
    fewest = _FEWEST_ITEMS if listed >= 0.8 * total else _FEWEST_ITEMS_IN_PROSE
    found = []
    for stretch in stretches:
        inside = [words[i] for indices in stretch for i in indices]
        span = Span(inside[0].start, inside[-1].end)
        if _is_list(text[span.start : span.end], inside, len(stretch), fewest):
            found.append(span)
    return found


def _stretches(
    words: Sequence[Word], sentences: Sequence[Sequence[int]]
) -> list[list[Sequence[int]]]:
    """Runs of neighbouring sentences in which hardly a word binds the others."""
    runs: list[list[Sequence[int]]] = []
    joined = False
    for indices in sentences:
        if not indices:
            continue
        bare = _is_bare([words[i] for i in indices])
        if bare and joined:
            runs[-1].append(indices)
        elif bare:
            runs.append([indices])
        joined = bare
    return runs


def _is_bare(words: Sequence[Word]) -> bool:
    """Whether words could be items of a list: hardly held together, or very few."""
    return _binding_share(words) <= _BARE_SHARE or len(words) <= _ITEM_WORDS


def _binding_share(words: Sequence[Word]) -> float:
    return sum(w.text in _BINDING for w in words) / len(words)


def _is_list(text: str, words: Sequence[Word], n_sentences: int, fewest_items: int) -> bool:
    figures = sum(any(c.isdigit() for c in w.text) for w in words)
    if len(words) < _LIST_WORDS or figures > _FIGURES_SHARE * len(words):
        return False
    if not all(w.text.isascii() for w in words) or _OPERATORS.search(text):
        return False
    if fewest_items > _FEWEST_ITEMS and any(w.text in _VERBS for w in words):
        return False
    items = 1 + sum(w.lists for w in words[1:])
    share = _binding_share(words)
    if items >= fewest_items and len(words) <= _ITEM_WORDS * items:
        return share <= _LIST_SHARE
    long = fewest_items > _FEWEST_ITEMS or items > _UNSEPARATED_ITEMS
    fewest_words = _LONG_DUMP_WORDS if long else _DUMP_WORDS
    return len(words) >= fewest_words * n_sentences and share <= _DUMP_SHARE
