"""One submission through the whole suite of one exercise."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Protocol, Self, TypeVar

import grader
from grader.domain.scoring import score_verdicts
from grader.exercises.budget import Budget
from grader.exercises.counterexample import counterexample, printed_lines
from grader.exercises.execution import Bench, Box, Usage
from grader.exercises.exercise import Exercise
from grader.exercises.invariant import Cases, Invariant, Mode
from grader.exercises.judging import Failure, Finding, judge, reproduces
from grader.exercises.receipt import signed
from grader.exercises.reduction import reduced
from grader.exercises.result import CheckResult, CodeVerdict, InvariantResult, Receipt, Reveal
from grader.exercises.search import SearchBudget, smallest_failure
from grader.exercises.seeds import SuiteSeed, suite_seed
from grader.exercises.smoke import SMOKE_CPU_S, SmokeResult, smoke
from grader.exercises.stopping import STOPPED, stopping_point
from grader.exercises.submission import Submission
from sandbox.errors import InfraError, RunEnded, SandboxError
from sandbox.limits import MIB
from sandbox.outcome import Outcome

SEARCH_SECONDS = 2.5
SEARCH_CALLS = 1500
ONE_SEARCH_SECONDS = 0.4
EXPLAIN_CPU_S = 2.0
ONE_SEARCH_CALLS = 600

T = TypeVar("T")


class Pool(Protocol):
    """Where boxes come from; what `sandbox.pool.open_pool` gives."""

    @property
    def backend(self) -> str:
        """Name of the backend."""

    @property
    def proofs(self) -> Sequence[object]:
        """What its self-check proved; each is shown as its text."""

    @property
    def image_digest(self) -> str:
        """What the submissions run in."""

    def lease(self) -> AbstractContextManager[Box]:
        """Runs for one submission, in a box that is replaced whenever it is spoilt."""


class Lease:
    """A hold on the pool for one submission, given up and taken anew where our side failed.

    Args:
        pool: Where boxes come from.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._stack = ExitStack()
        self._box: Box | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    def discard(self) -> None:
        """Gives the hold up."""
        self._box = None
        self._stack.close()

    def box(self) -> Box:
        """Where a run may start."""
        if self._box is None:
            self._box = self._stack.enter_context(self._pool.lease())
        return self._box


@dataclass(frozen=True)
class Judged:
    """An invariant with how it came out and what that took."""

    invariant: Invariant
    finding: Finding
    usage: Usage


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
        search = SearchBudget(SEARCH_SECONDS, SEARCH_CALLS)
        explainer = Explainer(self, lease, search)
        return {j.invariant.id: explainer.text(j) for j in judged if _failed(j)}

    def bench_for(self, lease: Lease, invariant: Invariant) -> Bench:
        """A bench for runs that explain; nothing they use is shown as the invariant's."""
        bench = self._bench(lease.box(), Usage(), invariant)
        return replace(bench, budget=self._budget.aside(EXPLAIN_CPU_S))

    @property
    def seed(self) -> SuiteSeed:
        """Root of the cases."""
        return self._seed

    @property
    def module(self) -> str:
        """Name under which the submission is imported."""
        return self._exercise.id

    @property
    def source(self) -> str:
        """The submission's text."""
        return self._submission.source.decode()

    def _result(self, judged: list[Judged], texts: dict[str, str]) -> CheckResult:
        question = self._exercise.question
        items = tuple(
            InvariantResult(
                id=j.invariant.id,
                weight=question.signal(j.invariant.id).weight,
                passed=j.finding.outcome is Outcome.PASSED,
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


class Explainer:
    """Finds the counter-examples that a learner is shown.

    Args:
        run: The suite whose verdicts stand.
        lease: Where to run.
        budget: For all searches together.
    """

    def __init__(self, run: SuiteRun, lease: Lease, budget: SearchBudget) -> None:
        self._run = run
        self._lease = lease
        self._budget = budget

    def text(self, judged: Judged) -> str:
        """The lines for one invariant that did not pass."""
        finding = judged.finding
        if finding.failure is not None:
            failure = self._smaller(judged.invariant, finding.failure) or finding.failure
        elif (stopped := self._stopping(judged)) is not None:
            failure = stopped
        elif finding.detail.startswith("#"):
            return finding.detail
        else:
            return _told(judged)
        text = counterexample(failure, self._run.module, self._run.source)
        notes = [f"# {finding.detail}"] if finding.failure and finding.detail else []
        printed = printed_lines(judged.usage.printed)
        return "\n".join(part for part in (text, *notes, printed) if part)

    def _smaller(self, invariant: Invariant, failure: Failure) -> Failure | None:
        """A simpler failure of the same invariant that shows again in a fresh process."""
        if failure.violation.code:
            return None
        try:
            bench = self._run.bench_for(self._lease, invariant)
            found = self._searched(bench, invariant, failure.family) or failure
            if found.family.removable:
                budget = self._budget.part(ONE_SEARCH_SECONDS, ONE_SEARCH_CALLS)
                found = reduced(bench, invariant.check, found, budget)
            again = reproduces(bench, invariant.check, [found.trace], Mode.BATCH)
        except (SandboxError, RunEnded):
            return None
        return found if again else None

    def _stopping(self, judged: Judged) -> Failure | None:
        """Where a submission stops answering, if it does so again and a search is allowed."""
        family = next(iter(_searchable(judged.invariant)), None)
        if judged.finding.outcome not in STOPPED or family is None or self._budget.over:
            return None
        try:
            bench = self._run.bench_for(self._lease, judged.invariant)
            label = judged.invariant.id
            return stopping_point(bench, family, self._run.seed, label, self._budget)
        except SandboxError:
            return None

    def _searched(self, bench: Bench, invariant: Invariant, failing: Cases) -> Failure | None:
        family = _family_to_search(invariant, failing)
        if family is None or self._budget.over:
            return None
        budget = self._budget.part(ONE_SEARCH_SECONDS, ONE_SEARCH_CALLS)
        seed = self._run.seed.child("search", invariant.id)
        return smallest_failure(bench, invariant.check, family, seed, budget)


def _family_to_search(invariant: Invariant, failing: Cases) -> Cases | None:
    """The family to search: the one that failed if it may be, else the first that may."""
    allowed = _searchable(invariant)
    return failing if failing in allowed else next(iter(allowed), None)


def _searchable(invariant: Invariant) -> list[Cases]:
    return [f for f in invariant.cases if f.searchable and f.mode is Mode.BATCH]


def _told(judged: Judged) -> str:
    """How an invariant ended, with what its cases do where their author tells it."""
    ending = f"{judged.finding.outcome}: {judged.finding.detail}"
    stories = [family for family in judged.invariant.cases if family.story]
    if judged.finding.outcome not in STOPPED or not stories:
        return f"# {ending}"
    family = stories[0]
    limit = f" within {family.cpu_s:g} s of CPU time" if family.cpu_s else ""
    return f"{family.story}\n# expected: done{limit}\n# got:      {ending}"


def _failed(judged: Judged) -> bool:
    return judged.finding.outcome is not Outcome.PASSED


def _verdict(items: tuple[InvariantResult, ...]) -> CodeVerdict:
    passed = [item.passed for item in items]
    if all(passed):
        return CodeVerdict.CORRECT
    return CodeVerdict.PARTIAL if any(passed) else CodeVerdict.WRONG
