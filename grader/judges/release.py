"""Release thresholds: the confidence from which a verdict stands without a person.

Fitted from labelled verdicts by ``grader calibrate``; a judge that has no bound yet has the
provisional threshold.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from grader.domain.model import FrozenModel
from grader.domain.question import Question, Signal
from grader.domain.verdict import Outcome, Verdict
from grader.judges.port import GuardedAnswer, Judge, Judgement

PROVISIONAL_THRESHOLD = 0.5
NOT_RELEASED = "not_released"
"""Reason of a verdict that a person should look at before it counts."""

Share = Annotated[float, Field(ge=0, le=1)]


class ReleaseBound(FrozenModel):
    """What labels say about one pool of verdicts.

    Attributes:
        threshold: Least confidence that is released; None where no bound holds yet.
        released: Labelled verdicts at or above it.
        errors: Of those, the wrong ones.
        error_bound: Upper bound of the error among released ones; None without a threshold.
        labels: Labelled verdicts of the pool.
        needed: Labels without an error that would give a bound.
    """

    threshold: Share | None
    released: int
    errors: int
    error_bound: Share | None
    labels: int
    needed: int

    @property
    def told(self) -> str:
        """The bound in words."""
        if self.threshold is None or self.error_bound is None:
            return f"no bound yet, {self.labels} of {self.needed}"
        return (
            f"confidence >= {self.threshold:.2f}: {self.errors} wrong of {self.released}, "
            f"error <= {self.error_bound:.1%}"
        )


class ReleasePolicy(FrozenModel):
    """Thresholds by judge, and by signal where a signal has labels enough of its own.

    Attributes:
        error: Bound asked for on the error among released verdicts.
        assurance: Probability with which the bound holds.
        judges: Bound of each judge, pooled over signals.
        signals: Bounds under ``judge question_id/signal_id``.
        agreement: Kappa of each judge with the labels, for weighing a panel.
        provisional: Threshold where there is no bound.
    """

    error: Share = 0.10
    assurance: Share = 0.95
    judges: Mapping[str, ReleaseBound] = Field(default_factory=dict)
    signals: Mapping[str, ReleaseBound] = Field(default_factory=dict)
    agreement: Mapping[str, float] = Field(default_factory=dict)
    provisional: Share = PROVISIONAL_THRESHOLD

    def threshold(self, judge: str, question_id: str, signal_id: str) -> float:
        """The confidence below which a judge shall look at a signal again."""
        own = self.signals.get(signal_key(judge, question_id, signal_id))
        for bound in (own, self.judges.get(judge)):
            if bound is not None and bound.threshold is not None:
                return bound.threshold
        return self.provisional

    def releases(self, judge: str, question_id: str, signal_id: str, confidence: float) -> bool:
        """Whether a verdict stands without a person. Nothing does where no bound holds.

        A signal with labels enough of its own follows them alone, also where they say never.
        """
        own = self.signals.get(signal_key(judge, question_id, signal_id))
        bound = own or self.judges.get(judge)
        return bound is not None and bound.threshold is not None and confidence >= bound.threshold


def signal_key(judge: str, question_id: str, signal_id: str) -> str:
    """Key of ``ReleasePolicy.signals``."""
    return f"{judge} {question_id}/{signal_id}"


class ReleasingJudge:
    """A judge whose verdicts say which of them a person should look at.

    Args:
        inner: Judges.
        policy: Says from which confidence its verdicts stand alone.
    """

    def __init__(self, inner: Judge, policy: ReleasePolicy) -> None:
        self.inner = inner
        self._policy = policy

    @property
    def id(self) -> str:
        """That of the judge inside."""
        return self.inner.id

    async def judge(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> Judgement:
        """Judges one answer, as the port says."""
        judgement = await self.inner.judge(question, guarded, signals)
        verdicts = tuple(self._marked(question.id, v) for v in judgement.verdicts)
        return Judgement(verdicts=verdicts, flags=judgement.flags)

    def _marked(self, question_id: str, verdict: Verdict) -> Verdict:
        if verdict.outcome is Outcome.CANNOT_ASSESS or self._policy.releases(
            verdict.judge, question_id, verdict.signal_id, verdict.confidence
        ):
            return verdict
        return verdict.model_copy(update={"reasons": (*verdict.reasons, NOT_RELEASED)})
