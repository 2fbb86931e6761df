"""One submission through the whole suite of one exercise."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import grader
from grader.domain.scoring import score_verdicts
from grader.exercises.budget import Budget
from grader.exercises.execution import Bench, Box, Usage
from grader.exercises.exercise import Exercise
from grader.exercises.explaining import Explainer, Judged
from grader.exercises.invariant import Invariant
from grader.exercises.judging import Finding, judge
from grader.exercises.lease import Lease, Pool
from grader.exercises.receipt import signed
from grader.exercises.result import CheckResult, CodeVerdict, InvariantResult, Receipt, Reveal
from grader.exercises.seeds import suite_seed
from grader.exercises.smoke import SMOKE_CPU_S, SmokeResult, smoke
from grader.exercises.submission import Submission
from sandbox.errors import InfraError, SandboxError
from sandbox.limits import MIB
from sandbox.outcome import Outcome

__all__ = ["Pool", "SuiteRun"]

EXPLAIN_CPU_S = 2.0

T = TypeVar("T")


class SuiteRun:
    """The suite of one exercise over one submission.

    Args:
        exercise: What is checked.
        submission: What the learner handed in.
        pool: Gives sandboxes.
        secret: The grader's secret.
        clock: Monotonic wall clock in seconds.
    """

    def __init__(
        self,
        exercise: Exercise,
        submission: Submission,
        pool: Pool,
        secret: bytes,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._exercise = exercise
        self._submission = submission
        self._pool = pool
        self._secret = secret
        self._seed = suite_seed(secret, exercise.version, submission.token_digest)
        suite = exercise.suite
        self._shares = {i.id: suite.share_s(i) for i in suite.invariants}
        self._budget = Budget(suite.cpu_s, self._shares.values(), clock)

    def result(self, reveal: Reveal) -> CheckResult:
        """Runs everything and gives what the level reveals."""
        with Lease(self._pool) as lease:
            first = self._smoke(lease)
            if first.fatal is not None:
                finding = Finding(first.fatal, detail=first.explanation)
                judged = [Judged(i, finding, Usage()) for i in self._exercise.suite.invariants]
            else:
                judged = self._judged(lease)
            explain = reveal is Reveal.COUNTEREXAMPLES
            texts = self._explanations(lease, judged) if explain else {}
        return self._result(judged, texts).revealed(reveal)

    def _smoke(self, lease: Lease) -> SmokeResult:
        """The first look has time of its own; the suite's wall clock runs already."""

        def attempt(box: Box) -> SmokeResult:
            bench = replace(self._bench(box, Usage()), budget=self._budget.aside(SMOKE_CPU_S))
            return smoke(bench, self._exercise)

        try:
            return self._twice(lease, attempt)
        except SandboxError as error:
            return SmokeResult(Outcome.INFRA_ERROR, f"# {error.message}")

    def _judged(self, lease: Lease) -> list[Judged]:
        judged: list[Judged] = []
        for invariant in self._exercise.suite.invariants:
            self._budget.open_share(self._shares[invariant.id])
            judged.append(self._judge(lease, invariant))
            if judged[-1].finding.outcome is Outcome.PROTOCOL_ERROR:
                return self._void(judged[-1].finding)
        return judged

    def _judge(self, lease: Lease, invariant: Invariant) -> Judged:
        usage = Usage()

        def attempt(box: Box) -> Finding:
            bench = self._bench(box, usage, invariant)
            return judge(bench, invariant, self._shares[invariant.id], self._seed)

        try:
            return Judged(invariant, self._twice(lease, attempt), usage)
        except SandboxError as error:
            return Judged(invariant, Finding(Outcome.INFRA_ERROR, detail=error.message), usage)

    def _twice(self, lease: Lease, attempt: Callable[[Box], T]) -> T:
        """Tries again once, in a fresh box, where our own side failed."""
        try:
            return attempt(lease.box())
        except InfraError:
            lease.discard()
            return attempt(lease.box())

    def _void(self, finding: Finding) -> list[Judged]:
        """A forged answer voids the whole submission."""
        voided = Finding(Outcome.PROTOCOL_ERROR, detail=finding.detail)
        return [Judged(i, voided, Usage()) for i in self._exercise.suite.invariants]

    def _bench(self, box: Box, usage: Usage, invariant: Invariant | None = None) -> Bench:
        memory = invariant.memory_mib if invariant else None
        return Bench(
            box=box,
            source=self._submission.source,
            module=self._exercise.id,
            memory_mib=memory or self._exercise.suite.memory_mib,
            budget=self._budget,
            usage=usage,
        )

    def _explanations(self, lease: Lease, judged: list[Judged]) -> dict[str, str]:
        """Texts by invariant; what their runs use is not shown as the invariant's."""

        def bench_for(invariant: Invariant) -> Bench:
            bench = self._bench(lease.box(), Usage(), invariant)
            return replace(bench, budget=self._budget.aside(EXPLAIN_CPU_S))

        source = self._submission.source.decode()
        return Explainer(bench_for, self._seed, self._exercise.id, source).texts(judged)

    def _result(self, judged: list[Judged], texts: dict[str, str]) -> CheckResult:
        question = self._exercise.question
        items = tuple(
            InvariantResult(
                id=j.invariant.id,
                weight=question.signal(j.invariant.id).weight,
                passed=j.passed,
                outcome=j.finding.outcome,
                counterexample=texts.get(j.invariant.id) or None,
                cpu_s=round(j.usage.cpu_s, 4),
                peak_mib=round(j.usage.peak / MIB, 1),
            )
            for j in judged
        )
        return CheckResult(
            exercise=question.exercise,
            verdict=_verdict(items),
            score=score_verdicts(question, [item.verdict for item in items]).score.score,
            invariants=items,
            backend=self._pool.backend,
            proved=tuple(map(str, self._pool.proofs)),
            receipt=self._receipt(items),
        )

    def _receipt(self, items: tuple[InvariantResult, ...]) -> Receipt:
        receipt = Receipt(
            submission=self._submission.digest,
            exercise=self._exercise.id,
            exercise_version=self._exercise.version,
            backend=self._pool.backend,
            image_digest=self._pool.image_digest,
            limits={i.id: self._limits_of(i) for i in self._exercise.suite.invariants},
            seed_commitment=self._seed.commitment,
            outcomes={item.id: item.outcome.value for item in items},
            grader_version=grader.__version__,
        )
        return signed(receipt, self._secret)

    def _limits_of(self, invariant: Invariant) -> dict[str, float]:
        memory = invariant.memory_mib or self._exercise.suite.memory_mib
        return {"cpu_s": round(self._shares[invariant.id], 3), "memory_mib": memory}


def _verdict(items: tuple[InvariantResult, ...]) -> CodeVerdict:
    passed = [item.passed for item in items]
    if all(passed):
        return CodeVerdict.CORRECT
    return CodeVerdict.PARTIAL if any(passed) else CodeVerdict.WRONG
