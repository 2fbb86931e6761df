"""Word-order rules and the one-pass matcher for all of them.

A rule is written as a line of steps: ``a|b`` any of the words, ``stem*`` any word that begins so,
a space for "directly followed by", ``~3`` for "followed within three words", ``{NAME}`` for a named
set of words, ``^`` before a step whose word must stand after a mark, as a quoted one does, and a
leading ``!`` where the first word must open a clause or follow a word of asking, as an order does.
The matcher keeps for each step the nearest partial match, so that all rules together cost one
dictionary look-up a word.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from grader.judges.guard.reasons import GuardReason
from grader.judges.guard.words import Word
from grader.judges.normalise import normalise

_ASKING = frozenset(
    "please kindly now then you must should and just simply so instead first also always hereby "
    "immediately will shall grader examiner evaluator to can could would".split()
)
_NEEDS_YOU = frozenset("should must will shall to and can could would so then".split())
_GAP = re.compile(r"~(\d*)")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a rule: the words that fit, and how many others may stand before it.

    Attributes:
        opens: Whether a mark must stand before the word, as before a quoted one.
    """

    exact: frozenset[str]
    prefixes: tuple[str, ...]
    gap: int
    opens: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A sequence of steps that gives a reason."""

    reason: GuardReason
    steps: tuple[Step, ...]
    opens: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A matched rule: indices of its first and last word."""

    first: int
    last: int
    reason: GuardReason


def parse_rules(reason: GuardReason, lines: str, names: Mapping[str, str]) -> list[Rule]:
    """The rules of a text, one a line."""
    return [_parsed(reason, line.strip(), names) for line in lines.splitlines() if line.strip()]


def _parsed(reason: GuardReason, line: str, names: Mapping[str, str]) -> Rule:
    opens = line.startswith("!")
    steps: list[Step] = []
    gap = 0
    for part in line.lstrip("!").split():
        if match := _GAP.fullmatch(part):
            gap = int(match.group(1) or 4)
            continue
        steps.append(_step(part, gap, names))
        gap = 0
    return Rule(reason, tuple(steps), opens)


def _step(part: str, gap: int, names: Mapping[str, str]) -> Step:
    for name, words in names.items():
        part = part.replace("{" + name + "}", "|".join(words.split()))
    opens = part.startswith("^")
    part = part.lstrip("^")
    forms = [normalise(form).text for form in part.split("|")]
    return Step(
        exact=frozenset(f for f in forms if not f.endswith("*")),
        prefixes=tuple(f[:-1] for f in forms if f.endswith("*")),
        gap=gap,
        opens=opens,
    )


class RuleBook:
    """A set of rules, indexed by word."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._exact: dict[str, list[tuple[int, int]]] = {}
        self._prefixes: dict[str, list[tuple[int, int]]] = {}
        for r, rule in enumerate(self._rules):
            for s, step in enumerate(rule.steps):
                for word in step.exact:
                    self._exact.setdefault(word, []).append((r, s))
                for prefix in step.prefixes:
                    self._prefixes.setdefault(prefix, []).append((r, s))
        self._lengths = sorted({len(p) for p in self._prefixes})
        self._steps_of = lru_cache(maxsize=32768)(self._look_up)

    def hits(self, words: Sequence[Word], *, anywhere: bool = False) -> Iterator[Hit]:
        """Every match of every rule, in order of its last word.

        Args:
            words: Of one view.
            anywhere: Whether the verb of an order counts wherever it stands.
        """
        reached: dict[tuple[int, int], tuple[int, int]] = {}
        for i, word in enumerate(words):
            steps = self._steps_of(word.text)
            is_order = bool(steps) and (anywhere or _is_order(words, i))
            for r, s in steps:
                first = self._first_word(word, r, s, reached) if s else i
                if first is None or (s == 0 and self._rules[r].opens and not is_order):
                    continue
                if s + 1 == len(self._rules[r].steps):
                    yield Hit(first, i, self._rules[r].reason)
                reached[r, s] = (first, word.position)

    def _first_word(
        self, word: Word, r: int, s: int, reached: Mapping[tuple[int, int], tuple[int, int]]
    ) -> int | None:
        """Index where the match began that this word carries on; None where there is none."""
        before = reached.get((r, s - 1))
        if before is None:
            return None
        step = self._rules[r].steps[s]
        skipped = word.position - before[1] - 1
        fits = 0 <= skipped <= step.gap and (word.opens or not step.opens)
        return before[0] if fits else None

    def _look_up(self, word: str) -> tuple[tuple[int, int], ...]:
        found = list(self._exact.get(word, ()))
        for length in self._lengths:
            if length <= len(word):
                found.extend(self._prefixes.get(word[:length], ()))
        return tuple(sorted(set(found), key=lambda rs: (rs[0], -rs[1])))


def _is_order(words: Sequence[Word], i: int) -> bool:
    """Whether a word stands where the verb of an order stands."""
    if words[i].opens:
        return True
    if i == 0 or words[i].position - words[i - 1].position > 1:
        return False
    before = words[i - 1].text
    if before not in _ASKING:
        return False
    return before not in _NEEDS_YOU or any(
        w.text in ("you", "your", "please", "grader", "examiner") for w in words[max(i - 6, 0) : i]
    )
