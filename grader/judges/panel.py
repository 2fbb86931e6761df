"""Several judges on one answer: one vote a seat for each signal, and how far they disagree.

Every rule counts over all seats, present or not. So a judge that fails can only take votes away:
no credit ever arises because a judge was missing.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from grader.domain.question import Question, Signal
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.errors import InputError
from grader.judges.port import GuardedAnswer, Judge, Judgement
from grader.judges.tripwire import disagreements

SPLIT = "panel_split"
NO_QUORUM = "panel_no_quorum"
DISAGREES = "panel_disagrees"

_LEAST_WEIGHT = 0.01

_log = logging.getLogger(__name__)


class Aggregation(StrEnum):
    """How votes become a verdict."""

    MAJORITY = "majority"
    WEIGHTED = "weighted"
    UNANIMOUS = "unanimous"


@dataclass(frozen=True)
class Vote:
    """What one seat says of one signal."""

    weight: float
    verdict: Verdict

    @property
    def cast(self) -> bool:
        """Whether the judge committed itself; else it withholds its vote."""
        return self.verdict.outcome is not Outcome.CANNOT_ASSESS


class PanelDisagreement:
    """How often members disagreed so far, over pairs of votes cast on one signal."""

    def __init__(self) -> None:
        self.signals = 0
        self.split = 0
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._differ: Counter[tuple[str, str]] = Counter()

    def count(self, votes: Sequence[Verdict]) -> None:
        """Takes in the votes cast on one signal."""
        self.signals += 1
        self.split += len({v.outcome for v in votes}) > 1
        for a, b in combinations(votes, 2):
            pair = (min(a.judge, b.judge), max(a.judge, b.judge))
            self._pairs[pair] += 1
            self._differ[pair] += a.outcome is not b.outcome

    @property
    def pairs(self) -> dict[tuple[str, str], float]:
        """Share of differing verdicts of each pair of judges."""
        return {pair: self._differ[pair] / n for pair, n in self._pairs.items()}

    @property
    def told(self) -> str:
        """In words."""
        return f"the panel disagreed on {self.split} of {self.signals} signals"


class PanelJudge:
    """Asks all members and aggregates their verdicts signal by signal.

    Args:
        members: The judges; one model sampled several times is several judges.
        aggregation: ``majority``: an outcome that more than half of the seats reach; partial
            counts toward partial, met toward both. ``weighted``: the same by weight.
            ``unanimous``: one outcome of all seats. Anything else is ``cannot_assess``.
        weights: Weight by judge id, such as its measured agreement with people; below 0 counts
            as next to nothing. Needed for ``weighted``.
        tripwire: Judges beside the panel; where it contradicts, the grade is flagged.

    Raises:
        InputError: Fewer than two members, or a weight is missing.
    """

    def __init__(
        self,
        members: Sequence[Judge],
        aggregation: Aggregation = Aggregation.MAJORITY,
        *,
        weights: Mapping[str, float] | None = None,
        tripwire: Judge | None = None,
    ) -> None:
        if len(members) < 2:
            raise InputError("a panel of one", remedy="give at least two judges")
        self.members = tuple(members)
        self.disagreement = PanelDisagreement()
        self._aggregation = aggregation
        self._weights = [self._weight(m.id, weights or {}) for m in members]
        self._tripwire = tripwire

    @property
    def id(self) -> str:
        """``panel-1``, the rule and the members."""
        names = "+".join(m.id for m in self.members)
        return f"panel-1:{self._aggregation.value}({names})"

    async def judge(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> Judgement:
        """Judges one answer, as the port says."""
        asked = tuple(question.signals if signals is None else signals)
        judgements = await asyncio.gather(
            *(_judged(m, question, guarded, asked) for m in self.members)
        )
        verdicts = tuple(self._aggregated(s.id, judgements) for s in asked)
        flags = [flag for j in judgements for flag in j.flags]
        flags += [f"{DISAGREES}:{v.signal_id}" for v in verdicts if DISAGREES in v.reasons]
        if self._tripwire is not None:
            second = await self._tripwire.judge(question, guarded, asked)
            flags += disagreements(verdicts, second.verdicts)
        return Judgement(verdicts=verdicts, flags=tuple(dict.fromkeys(flags)))

    def _weight(self, judge_id: str, weights: Mapping[str, float]) -> float:
        if self._aggregation is not Aggregation.WEIGHTED:
            return 1.0
        if judge_id not in weights:
            raise InputError(
                f"panel: no measured agreement of the judge {judge_id!r}",
                remedy="run `grader calibrate` over its verdicts, or use majority",
            )
        return max(weights[judge_id], _LEAST_WEIGHT)

    def _aggregated(self, signal_id: str, judgements: Sequence[Judgement]) -> Verdict:
        votes = [
            Vote(weight, verdict)
            for weight, judgement in zip(self._weights, judgements, strict=True)
            for verdict in judgement.verdicts
            if verdict.signal_id == signal_id
        ]
        cast = [v for v in votes if v.cast]
        self.disagreement.count([v.verdict for v in cast])
        unanimous = self._aggregation is Aggregation.UNANIMOUS
        outcome = decided(cast, sum(self._weights), unanimous=unanimous)
        differ = (DISAGREES,) if len({v.verdict.outcome for v in cast}) > 1 else ()
        if outcome is None:
            return self._undecided(signal_id, votes, differ)
        agreeing = [v for v in cast if v.verdict.outcome is outcome] or cast
        return Verdict(
            signal_id=signal_id,
            outcome=outcome,
            confidence=_confidence(agreeing, sum(self._weights)),
            evidence=_evidence(agreeing) if outcome is not Outcome.NOT_MET else (),
            reasons=differ,
            judge=self.id,
            comment=next((v.verdict.comment for v in agreeing if v.verdict.comment), ""),
        )

    def _undecided(self, signal_id: str, votes: Sequence[Vote], differ: tuple[str, ...]) -> Verdict:
        present = sum(v.weight for v in votes if v.cast)
        causes = [r for v in votes if not v.cast for r in v.verdict.reasons[:1]]
        quorum = 2 * present > sum(self._weights)
        reasons = (SPLIT, *differ) if quorum else (NO_QUORUM, *differ, *dict.fromkeys(causes))
        return Verdict(
            signal_id=signal_id,
            outcome=Outcome.CANNOT_ASSESS,
            confidence=0.0,
            reasons=reasons,
            judge=self.id,
        )


async def _judged(
    member: Judge, question: Question, guarded: GuardedAnswer, asked: tuple[Signal, ...]
) -> Judgement:
    """What one member says; one that breaks says nothing, and the others are heard."""
    try:
        return await member.judge(question, guarded, asked)
    except Exception:
        _log.exception("panel member %s failed on question %s", member.id, question.id)
        return Judgement(verdicts=())


def decided(votes: Sequence[Vote], seats: float, *, unanimous: bool) -> Outcome | None:
    """The outcome that the votes reach out of the weight of all seats; None for none."""
    met = _total(votes, Outcome.MET)
    partial = _total(votes, Outcome.PARTIAL)
    not_met = _total(votes, Outcome.NOT_MET)

    def reached(weight: float) -> bool:
        # Weights are floats: what misses the whole by rounding is the whole.
        return weight >= seats * (1 - 1e-9) if unanimous else 2 * weight > seats * (1 + 1e-9)

    if reached(met):
        return Outcome.MET
    if unanimous:
        rest = [o for o, w in ((Outcome.PARTIAL, partial), (Outcome.NOT_MET, not_met))
                if reached(w)]  # fmt: skip
        return rest[0] if rest else None
    if reached(met + partial):
        return Outcome.PARTIAL
    return Outcome.NOT_MET if reached(not_met) else None


def _total(votes: Sequence[Vote], outcome: Outcome) -> float:
    return sum(v.weight for v in votes if v.verdict.outcome is outcome)


def _confidence(agreeing: Sequence[Vote], seats: float) -> float:
    return min(1.0, sum(v.weight * v.verdict.confidence for v in agreeing) / seats)


def _evidence(agreeing: Sequence[Vote]) -> tuple[Evidence, ...]:
    """What the agreeing members quoted, the surest first, without overlaps."""
    kept: list[Evidence] = []
    ranked = sorted(agreeing, key=lambda v: -v.weight * v.verdict.confidence)
    for evidence in (e for v in ranked for e in v.verdict.evidence):
        if all(evidence.end <= k.start or k.end <= evidence.start for k in kept):
            kept.append(evidence)
    return tuple(sorted(kept, key=lambda e: e.start))
