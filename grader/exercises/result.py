"""What grading a coding submission gives: the public result, its parts and their words."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from grader.domain.model import FrozenModel
from grader.domain.verdict import Outcome as SignalOutcome
from grader.domain.verdict import Verdict
from sandbox.outcome import Outcome

JUDGE = "exercises"


class Reveal(StrEnum):
    """How much of the hidden checks a learner is told.

    Attributes:
        PUBLIC: The score and the verdict alone.
        NAMES: Which invariants passed, too.
        COUNTEREXAMPLES: A small failing case for each that did not, too.
    """

    PUBLIC = "public"
    NAMES = "names"
    COUNTEREXAMPLES = "counterexamples"


class CodeVerdict(StrEnum):
    """The submission as a whole: all invariants, some, or none."""

    CORRECT = "correct"
    PARTIAL = "partial"
    WRONG = "wrong"


class InvariantResult(FrozenModel):
    """How one invariant came out.

    Attributes:
        counterexample: A few runnable lines that show the failure; None where there is none or
            it is not revealed.
        cpu_s: CPU seconds of the submission's process while it was judged.
        peak_mib: Its peak resident memory in MiB.
    """

    id: str
    weight: int
    passed: bool
    outcome: Outcome
    counterexample: str | None = None
    cpu_s: float = 0.0
    peak_mib: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """The same as a verdict on a signal; a fault of ours is never charged to the learner."""
        return Verdict(
            signal_id=self.id,
            outcome=_SIGNAL_OUTCOME.get(self.outcome, SignalOutcome.NOT_MET),
            reasons=() if self.passed else (self.outcome.value,),
            judge=JUDGE,
        )


_SIGNAL_OUTCOME = {
    Outcome.PASSED: SignalOutcome.MET,
    Outcome.INFRA_ERROR: SignalOutcome.CANNOT_ASSESS,
}


class Receipt(FrozenModel):
    """What was graded, with what, and how it came out; signed by the grader.

    Attributes:
        submission: Digest of the submitted bytes.
        exercise_version: Hash of everything that decides a verdict.
        image_digest: Digest of the sandbox image, or the backend's name for what it ran in.
        limits: Limits of each invariant's run, by invariant id.
        seed_commitment: Hash of the seed; opens nothing.
        outcomes: Outcome by invariant id.
        signature: HMAC-SHA256 over all the other fields.
    """

    submission: str
    exercise: str
    exercise_version: str
    backend: str
    image_digest: str
    limits: dict[str, dict[str, Any]]
    seed_commitment: str
    outcomes: dict[str, str]
    grader_version: str
    signature: str = ""


class CheckResult(FrozenModel):
    """The result of grading one coding submission.

    Attributes:
        score: Points of 100; where our side failed, the least the submission may have.
        proved: Which limits the backend proved when it started.
    """

    exercise: str
    verdict: CodeVerdict
    score: float = Field(ge=0, le=100)
    invariants: tuple[InvariantResult, ...]
    backend: str
    proved: tuple[str, ...]
    receipt: Receipt

    @property
    def assessed(self) -> bool:
        """Whether every invariant could be judged."""
        return all(item.outcome is not Outcome.INFRA_ERROR for item in self.invariants)

    def revealed(self, level: Reveal) -> "CheckResult":
        """The result with no more than a level shows."""
        if level is Reveal.COUNTEREXAMPLES:
            return self
        items = [item.model_copy(update={"counterexample": None}) for item in self.invariants]
        if level is Reveal.PUBLIC:
            receipt = self.receipt.model_copy(update={"outcomes": {}, "signature": ""})
            return self.model_copy(update={"invariants": (), "receipt": receipt})
        return self.model_copy(update={"invariants": tuple(items)})
