"""Content words of a text: what two wordings of one idea share."""

import re
from collections.abc import Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[.'][^\W_]+)*")
_STOPWORDS = frozenset(
    """a about above after again all also an and any are as at be because been before being below
    between both but by can cannot could did do does doing down during each either else even every
    few for from further get gets got had has have having he her here hers him his how however i if
    in into is it its itself just less let like may me might more most much must my neither no nor
    not now of off on once one only onto or other our out over own per rather same she should since
    so some still such than that the their them then there these they this those through thus to too
    under until up upon us very via was way we well were what when where whether which while who
    whose why will with within without would yet you your""".split()
)
_SUFFIXES = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly")


def content_words(text: str) -> list[str]:
    """The words that carry meaning, lower-cased and cut to a rough stem, in order."""
    words = (w.casefold() for w in _WORD.findall(text))
    return [_stem(w) for w in words if w not in _STOPWORDS]


def longest_shared_run(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest run of words that stands in both sequences."""
    best = 0
    previous = [0] * (len(b) + 1)
    for word in a:
        current = [0] * (len(b) + 1)
        for j, other in enumerate(b, start=1):
            if word == other:
                current[j] = previous[j - 1] + 1
                best = max(best, current[j])
        previous = current
    return best


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word
