"""Word knowledge of the offline judge: function words and a light stemmer.

Closed lists written for this judge; nothing here is learnt from data.
"""

from functools import lru_cache

FUNCTION_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being
    below between both but by can could did do does doing done down during each either else etc
    ever every for from further get gets getting got had has have having he her here hers him his
    how i if in into is it its itself just kind know let like make makes making many may maybe me
    might mean more most much must my myself no nor not now of off on once one ones only or other
    our out over own per perhaps really right same say says shall she should simply since so some
    something sort still such than that the their them then there therefore these they thing
    things this those though through thus to too um uh under until up upon us use used uses using
    very via was we well were what when where whether which while who whom whose why will with
    within without would yes yet you your yours
    neither nothing nobody none never cannot anything everything someone somebody anyone anybody
    instead rather okay ok yeah basically actually exactly simply gonna
    """.split()
)

_SUFFIXES = (
    "izations", "isations", "ization", "isation", "fulness", "ousness", "iveness", "ational",
    "ations", "nesses", "ments", "ation", "ition", "ively", "ingly", "edly", "izing", "ising",
    "ities", "ized", "ised", "izes", "ises", "ness", "ment", "ance", "ence", "ible", "able",
    "ions", "ings", "ally", "ize", "ise", "ity", "ies", "ied", "ing", "ion", "ers", "ive", "est",
    "ed", "es", "er", "or", "ly", "al", "s", "y", "e",
)  # fmt: skip
_SHORTEST_STEM = 3
_LONGEST_WORD = 40
_LEAST_BEFORE = {"ment": 5, "ments": 5}
_KEPT = {"ies": "i", "ied": "i", "ities": "", "y": "i"}


def stem(word: str) -> str:
    """Cuts the endings of a lower-case word, so that ``batching`` and ``batched`` meet.

    Words with a digit, of up to three letters or of more than forty stay as they are.
    """
    if not _SHORTEST_STEM < len(word) <= _LONGEST_WORD or not word.isalpha():
        return word
    return _stemmed(word)


@lru_cache(maxsize=65536)
def _stemmed(word: str) -> str:
    return _undoubled(_strip_once(_strip_plural(word)))


def _strip_plural(word: str) -> str:
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word


def _strip_once(word: str) -> str:
    for suffix in _SUFFIXES:
        root = word[: -len(suffix)]
        least = _LEAST_BEFORE.get(suffix, _SHORTEST_STEM)
        if word.endswith(suffix) and len(root) >= least and _has_vowel(root):
            return root + _KEPT.get(suffix, "")
    return word


def _has_vowel(root: str) -> bool:
    return any(c in "aeiouy" for c in root)


def _undoubled(root: str) -> str:
    doubled = len(root) > _SHORTEST_STEM and root[-1] == root[-2] and root[-1] not in "lsz"
    return root[:-1] if doubled else root
