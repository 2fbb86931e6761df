"""Clause-scoped negation and contrast: which words of a sentence are asserted, which denied.

The scopes follow the usual rule of negation finders (Chapman et al., NegEx, 2001): a cue reaches
from its place to the end of its clause, or back over the clause before it ("... is a myth").
"""

import itertools
from collections.abc import Sequence
from enum import IntEnum


class Polarity(IntEnum):
    """How a word stands in its sentence."""

    ASSERTED = 0
    DENIED = 1
    AVERTED = 2  # "avoids copying": compatible with both "no copying" and "less copying"
    KEPT = 3  # "does not avoid copying"


_CLAUSE_ENDS = frozenset(
    ", ; : . ! ? ( ) [ ] — – \n but however because since so which while whereas although though "
    "yet then therefore hence thus until unless except if when".split(" ")
)
_CUES = frozenset(
    "not never no without cannot neither nor none nobody nothing hardly rarely seldom barely "
    "scarcely instead unlike lacks lack lacking fails fail failed unable impossible refuses "
    "cant dont doesnt isnt arent wont didnt wasnt werent couldnt shouldnt wouldnt aint non".split()
)
_SHORT_SCOPE = {"no": 5, "without": 7, "non": 1, "instead": 8, "unlike": 6, "lack": 5, "lacks": 5,
                "lacking": 5, "none": 6}  # fmt: skip
_LONG_SCOPE = 9
_NOUN_PHRASE_ENDS = frozenset("that which who of to for in on at from with by is are".split())
_SUBJECTS = frozenset(
    "i i'd i'm i'll it it's it'd it'll you you're you'd you'll we we're we'd we'll they they're "
    "they'd he she that's there's there this".split()
)
_AVERTING = frozenset(
    "avoid avoids avoided avoiding prevent prevents prevented preventing eliminate eliminates "
    "eliminated eliminating skip skips skipped skipping remove removes removed removing".split()
)
_AVERTING_SCOPE = 5
_HARMLESS_AFTER_NOT = frozenset("only just merely simply necessarily".split())
_HARMLESS_AFTER_NO = frozenset("doubt matter".split())
_VERDICT_WORDS = frozenset(
    "myth false wrong untrue incorrect misconception nonsense mistaken fallacy mistake".split()
)
_COPULAS = frozenset("is are was were be being sounds seems remains".split())
_OPINION = frozenset("think believe say claim agree buy mean suppose assume true correct".split())
_JOINER_REACH = 2


def polarities(words: Sequence[str]) -> list[Polarity]:
    """The polarity of each token of one sentence.

    Args:
        words: Lower-case tokens, punctuation marks included as tokens of their own.
    """
    denials, averted = [0] * len(words), [False] * len(words)
    for i, word in enumerate(words):
        if is_cue(words, i):
            _mark(denials, i, _forward_scope(words, i))
        elif word in _VERDICT_WORDS and _passes_verdict(words, i):
            _mark_verdict(denials, words, i)
        elif word in _AVERTING:
            for j in _reach(words, i, _AVERTING_SCOPE):
                averted[j] = True
    return [_combined(d % 2 == 1, a) for d, a in zip(denials, averted, strict=True)]


def is_cue(words: Sequence[str], i: int) -> bool:
    """Whether the token denies what stands in its scope."""
    word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
    if word in ("rather", "other"):
        return after == "than"
    if word == "opposed":
        return after == "to"
    if word in ("not", "isn't", "doesn't") and after in _HARMLESS_AFTER_NOT:
        return after == "necessarily"
    if word == "no":
        return after not in _HARMLESS_AFTER_NO
    if word == "nothing":
        return after != "but"
    return word in _CUES or word.endswith(("n't", "n’t"))


def conflicts(left: Polarity, right: Polarity) -> bool:
    """Whether a word used with one polarity contradicts its use with the other."""
    if Polarity.KEPT in (left, right):
        return left != right
    return {left, right} == {Polarity.ASSERTED, Polarity.DENIED}


def _combined(denied: bool, averted: bool) -> Polarity:
    if averted:
        return Polarity.KEPT if denied else Polarity.AVERTED
    return Polarity.DENIED if denied else Polarity.ASSERTED


def _mark(denials: list[int], cue: int, scope: Sequence[int]) -> None:
    for j in scope:
        if j != cue:
            denials[j] += 1


def _forward_scope(words: Sequence[str], cue: int) -> list[int]:
    """Tokens after the cue that it denies; the whole rest for "I don't think that ..."."""
    nearby = words[cue + 1 : cue + 4]
    if words[cue] not in _SHORT_SCOPE and any(w in _OPINION for w in nearby):
        ahead = list(range(cue + 1, len(words)))
        return ahead if len(ahead) > 4 else list(range(len(words)))
    scope = _reach(words, cue, _SHORT_SCOPE.get(words[cue], _LONG_SCOPE))
    if words[cue] != "no":
        return scope
    return list(itertools.takewhile(lambda j: words[j] not in _NOUN_PHRASE_ENDS, scope))


def _reach(words: Sequence[str], start: int, limit: int) -> list[int]:
    """The next tokens of the same clause; in speech a new subject is often all that ends one."""
    scope = []
    for j in range(start + 1, min(len(words), start + 1 + limit)):
        joined = words[j] == "and" and j - start > _JOINER_REACH
        new_subject = words[j] in _SUBJECTS and j - start > 1
        if words[j] in _CLAUSE_ENDS or joined or new_subject:
            break
        scope.append(j)
    return scope


def _passes_verdict(words: Sequence[str], i: int) -> bool:
    """Whether "wrong" and its like judge a claim here ("is wrong", "wrong to say that")."""
    before = words[max(0, i - 4) : i]
    after = words[i + 1 : i + 3]
    return any(w in _COPULAS for w in before) or "that" in after or "to" in after


def _mark_verdict(denials: list[int], words: Sequence[str], i: int) -> None:
    """Denies what is called false: the clause after "that", else the clause before."""
    after = words[i + 1 : i + 3]
    scope = range(i + 1, len(words)) if {"that", "to"} & set(after) else range(i)
    _mark(denials, i, list(scope))
