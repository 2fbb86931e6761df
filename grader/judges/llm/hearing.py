"""Judging one answer: the first call, the one fresh call about all doubts, votes, the outcome.

No reply is ever shown to the model again: each call is a fresh one about the answer.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from grader.domain.question import Signal
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Outcome, Verdict
from grader.judges.llm.asking import Heard
from grader.judges.llm.check import CheckedAnswer, with_relations
from grader.judges.llm.opinion import Opinion
from grader.judges.llm.settings import LlmSettings
from grader.judges.llm.transport import Cause

UNSETTLED = "judge_unsettled"
VOTED = "voted"

Ask = Callable[[Sequence[Signal], int, bool], Awaitable[Heard]]
"""Makes one call: signals, turn, whether the reply before was cut off."""

_MOST_UNREADABLE = 3
_PASS_MARK_VOTES = 3


@dataclass
class Hearing:
    """One answer before the judge.

    Args:
        checked: The answer with its checks.
        signals: What to judge.
        settings: Of the judge.
        ask: Makes a call.
        judge: Id of the judge, for verdicts that no model gave.
        named: Id to put on a verdict of a model.
    """

    checked: CheckedAnswer
    signals: tuple[Signal, ...]
    settings: LlmSettings
    ask: Ask
    judge: str
    named: Callable[[str], str]

    def __post_init__(self) -> None:
        self._opinions: dict[str, list[Opinion]] = {s.id: [] for s in self.signals}
        self._causes: dict[str, str] = {s.id: Cause.MALFORMED.value for s in self.signals}
        self._closed: set[str] = set()
        self._turn = 0

    @property
    def groups(self) -> list[tuple[Signal, ...]]:
        """The signals of each of the first calls."""
        return grouped(self.signals, self.settings.groups, self.settings.group_of)

    @property
    def causes(self) -> set[str]:
        """Why signals have no opinion at all."""
        return {self._causes[i] for i, found in self._opinions.items() if not found}

    @property
    def is_silent(self) -> bool:
        """Whether no call brought any opinion."""
        return not any(self._opinions.values())

    async def verdicts(self) -> AsyncIterator[Verdict]:
        """The verdicts, each as soon as nothing can change it any more."""
        given: set[str] = set()
        async for early in self._first_round():
            given.add(early)
            yield self._verdict(early)
        self._doubt_relations()
        while open_ := self._open():
            self._turn += 1
            truncated = {self._causes[s.id] for s in open_} == {Cause.TRUNCATED.value}
            self._take(open_, await self.ask(open_, self._turn, truncated))
        await self._vote()
        for signal in self.signals:
            if signal.id not in given:
                yield self._verdict(signal.id)

    async def _first_round(self) -> AsyncIterator[str]:
        """Asks about everything, in groups at once; yields what is settled while others run."""
        groups = self.groups
        if len(groups) == 1:
            self._take(groups[0], await self.ask(groups[0], 0, False))
            return
        tasks = [asyncio.create_task(self._heard(group)) for group in groups]
        try:
            for done in asyncio.as_completed(tasks):
                group, heard = await done
                self._take(group, heard)
                for signal in group:
                    if not self._is_related(signal.id) and self._is_sound(signal.id):
                        yield signal.id
        finally:
            for task in tasks:
                task.cancel()

    async def _heard(self, group: tuple[Signal, ...]) -> tuple[tuple[Signal, ...], Heard]:
        return group, await self.ask(group, 0, False)

    def _take(self, asked: Iterable[Signal], heard: Heard) -> None:
        for signal in asked:
            opinion = heard.opinions.get(signal.id)
            if opinion is not None:
                self._opinions[signal.id].append(opinion)
                continue
            self._causes[signal.id] = heard.cause
            if not heard.again:
                self._closed.add(signal.id)

    def _doubt_relations(self) -> None:
        last = {i: found[-1] for i, found in self._opinions.items() if found}
        for signal_id, opinion in with_relations(self.checked.question, last).items():
            self._opinions[signal_id][-1] = opinion

    def _open(self) -> list[Signal]:
        """What to ask about once more: one doubt once, no readable entry twice."""
        return [s for s in self.signals if s.id not in self._closed and self._is_open(s.id)]

    def _is_open(self, signal_id: str) -> bool:
        found = self._opinions[signal_id]
        calls = self._turn + 1
        if not found:
            return calls < _MOST_UNREADABLE
        return len(found) == 1 and bool(found[0].doubts) and calls < _MOST_UNREADABLE

    def _is_sound(self, signal_id: str) -> bool:
        found = self._opinions[signal_id]
        return bool(found) and not found[0].doubts

    def _is_related(self, signal_id: str) -> bool:
        return any(signal_id in r.pair for r in self.checked.question.relations)

    async def _vote(self) -> None:
        """Further opinions on what two calls could not settle, where votes are asked for."""
        contested = [s for s in self.signals if self._is_contested(s.id)]
        votes = self._votes(contested)
        if not contested or votes < _PASS_MARK_VOTES:
            return
        had = min(len(self._opinions[s.id]) for s in contested)
        turns = range(self._turn + 1, self._turn + 1 + votes - had)
        for heard in await asyncio.gather(*(self.ask(contested, t, False) for t in turns)):
            self._take(contested, heard)

    def _is_contested(self, signal_id: str) -> bool:
        found = self._opinions[signal_id]
        return signal_id not in self._closed and len(found) > 1 and bool(found[-1].doubts)

    def _votes(self, contested: Sequence[Signal]) -> int:
        if self.settings.pass_mark is None or not contested:
            return self.settings.votes
        ids = {s.id for s in contested}
        sure = [self._verdict(s.id) for s in self.signals if s.id not in ids]
        score = score_verdicts(self.checked.question, sure).score
        hangs = score.low < self.settings.pass_mark <= score.high
        return max(self.settings.votes, _PASS_MARK_VOTES) if hangs else self.settings.votes

    def _verdict(self, signal_id: str) -> Verdict:
        found = self._opinions[signal_id]
        if not found:
            return self._unassessed(signal_id, (self._causes[signal_id],))
        chosen = _settled(found)
        if chosen is None:
            doubts = dict.fromkeys(d.value for o in found for d in o.doubts)
            return self._unassessed(signal_id, tuple(doubts) or (UNSETTLED,), found[-1].model)
        voted = (VOTED,) if len(found) >= _PASS_MARK_VOTES else ()
        return Verdict(
            signal_id=signal_id,
            outcome=chosen.outcome,
            confidence=chosen.confidence,
            evidence=chosen.evidence,
            reasons=(*voted, *(d.value for d in chosen.doubts)),
            judge=self.named(chosen.model),
            comment=chosen.comment,
        )

    def _unassessed(self, signal_id: str, reasons: tuple[str, ...], model: str = "") -> Verdict:
        return Verdict(
            signal_id=signal_id,
            outcome=Outcome.CANNOT_ASSESS,
            confidence=0.0,
            reasons=reasons,
            judge=self.named(model) if model else self.judge,
        )


def _settled(found: Sequence[Opinion]) -> Opinion | None:
    """The opinion that counts; None where the calls do not settle it.

    A sound second opinion stands for itself. One that is in doubt again stands only if the first
    said the same; credit without evidence that carries it never does. More are votes: more than
    half decide.
    """
    last = found[-1]
    if len(found) == 1:
        return last if last.supported else None
    if len(found) == 2:
        agreed = found[0].outcome is last.outcome
        return last if last.supported and (agreed or not last.doubts) else None
    counts = Counter(o.outcome for o in found)
    outcome, most = counts.most_common(1)[0]
    carried = [o for o in found if o.outcome is outcome and o.supported]
    if 2 * most <= len(found) or not carried:
        return None
    return max(carried, key=lambda o: (not o.doubts, o.confidence))


def grouped(signals: Sequence[Signal], groups: int, least: int) -> list[tuple[Signal, ...]]:
    """The signals in at most ``groups`` runs of nearly equal length, none under ``least``."""
    count = max(1, min(groups, len(signals) // least))
    size, longer = divmod(len(signals), count)
    runs, start = [], 0
    # The short ones first: their verdicts are there first.
    for i in range(count):
        end = start + size + (1 if i >= count - longer else 0)
        runs.append(tuple(signals[start:end]))
        start = end
    return runs
