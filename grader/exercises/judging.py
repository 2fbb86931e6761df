"""Judging one invariant: corpus, evidence of work, and a second look at what failed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.exercises.choice import SeededChoice
from grader.exercises.execution import Bench, batched, seen_in, seen_in_batch
from grader.exercises.invariant import Cases, Check, Invariant, Mode, Violation, Work
from grader.exercises.seeds import SuiteSeed
from grader.exercises.trace import Seen, Trace
from sandbox.errors import InfraError, RunEnded
from sandbox.outcome import Outcome

CONFIRM_CPU_S = 10.0
_SECOND = "second"
_SCORING = "scoring"


@dataclass(frozen=True)
class Failure:
    """A trace that shows a violation, with what was seen of it.

    Attributes:
        prefix: The traces run before it in the same process, and itself at the end.
    """

    trace: Trace
    seen: Seen
    violation: Violation
    family: Cases
    prefix: Sequence[Trace]


@dataclass(frozen=True)
class Finding:
    """How an invariant came out.

    Attributes:
        failure: The trace that shows it, where one does.
        detail: One line where no trace does.
    """

    outcome: Outcome
    failure: Failure | None = None
    detail: str = ""


def judge(bench: Bench, invariant: Invariant, share_s: float, seed: SuiteSeed) -> Finding:
    """Judges one invariant.

    Args:
        bench: Where the submission runs.
        invariant: What must hold.
        share_s: CPU seconds for it, stated costs included.
        seed: Of this submission; decides the cases.

    Raises:
        InfraError: Our side failed.
    """
    work = Work()
    try:
        failure = _first_failure(bench, invariant, share_s, seed, work)
        if failure is None:
            return _evidence(invariant, work)
        return _confirmed(bench, invariant.check, failure)
    except RunEnded as ended:
        return Finding(ended.outcome, detail=ended.detail)


def _evidence(invariant: Invariant, work: Work) -> Finding:
    missing = [f"{name!r}" for name, least in invariant.demands.items() if work[name] < least]
    if not missing:
        return Finding(Outcome.PASSED)
    return Finding(Outcome.FAILED, detail=f"no case got as far as {', '.join(missing)}")


def _first_failure(
    bench: Bench, invariant: Invariant, share_s: float, seed: SuiteSeed, work: Work
) -> Failure | None:
    left = share_s - invariant.stated_cpu_s
    before = bench.usage.cpu_s
    batch = list(_batch_traces(invariant, seed))
    if batch:
        if failure := _batch_failure(bench, invariant.check, batch, left, work):
            return failure
        left -= bench.usage.cpu_s - before
    for family, trace in _lone_traces(invariant, seed):
        spent = bench.usage.cpu_s
        limit = left if family.cpu_s is None else family.cpu_s
        with bench.run(limit) as run:
            seen = seen_in(run, trace, family.mode)
        if violation := judged(invariant.check, trace, seen, work):
            return Failure(trace, seen, violation, family, [trace])
        if family.cpu_s is None:
            left -= bench.usage.cpu_s - spent
    return None


def _batch_failure(
    bench: Bench,
    check: Check,
    batch: Sequence[tuple[Cases, Trace]],
    cpu_s: float,
    work: Work,
) -> Failure | None:
    traces = [trace for _, trace in batch]
    done = 0
    with bench.run(cpu_s) as run:
        for group in batched(traces):
            for trace, seen in zip(group, seen_in_batch(run, group), strict=True):
                done += 1
                if violation := judged(check, trace, seen, work):
                    return Failure(trace, seen, violation, batch[done - 1][0], traces[:done])
    return None


def _batch_traces(invariant: Invariant, seed: SuiteSeed) -> Iterator[tuple[Cases, Trace]]:
    families = [f for f in invariant.cases if f.mode is Mode.BATCH]
    fallback = families[0] if families else invariant.cases[0]
    for trace in invariant.regressions:
        yield fallback, trace
    for family in families:
        for trace in drawn(invariant, family, seed):
            yield family, trace


def _lone_traces(invariant: Invariant, seed: SuiteSeed) -> Iterator[tuple[Cases, Trace]]:
    for family in invariant.cases:
        if family.mode is not Mode.BATCH:
            for trace in drawn(invariant, family, seed):
                yield family, trace


def drawn(invariant: Invariant, family: Cases, seed: SuiteSeed) -> Iterator[Trace]:
    """The traces of a family: from the scoring seed, then fewer from the second."""
    index = str(invariant.cases.index(family))
    for purpose, count in ((_SCORING, family.count), (_SECOND, family.second_count)):
        for number in range(count):
            child = seed.child(purpose, invariant.id, index, str(number))
            yield family.generate(SeededChoice(child))


def _confirmed(bench: Bench, check: Check, failure: Failure) -> Finding:
    """Runs what failed twice more in fresh processes; alone first, then after its forerunners."""
    failed = Finding(Outcome.FAILED, failure)
    mode = failure.family.mode
    alone = [reproduces(bench, check, [failure.trace], mode) for _ in range(2)]
    if all(alone):
        return failed
    leaks = not any(alone) and len(failure.prefix) > 1
    if leaks and all(reproduces(bench, check, failure.prefix, mode) for _ in range(2)):
        return failed
    return Finding(
        Outcome.NONDETERMINISTIC,
        failure,
        "the same operations gave different results in fresh processes",
    )


def reproduces(bench: Bench, check: Check, traces: Sequence[Trace], mode: Mode) -> bool:
    """Whether the last of the traces fails again in a fresh process.

    A process that ends before its time fails too. Without CPU time left to look, the first look
    counts.

    Raises:
        RunEnded: The submission broke the protocol, which voids it as a whole.
    """
    cpu_s = min(bench.budget.spare_cpu_s, CONFIRM_CPU_S)
    if cpu_s <= 0 or bench.budget.over:
        return True
    try:
        with bench.run(cpu_s) as run:
            if mode is not Mode.BATCH:
                seen = seen_in(run, traces[-1], mode)
            else:
                for group in batched(traces):
                    seen = seen_in_batch(run, group)[-1]
    except RunEnded as ended:
        if ended.outcome is Outcome.PROTOCOL_ERROR:
            raise
        return True
    return judged(check, traces[-1], seen, Work()) is not None


def judged(check: Check, trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """What a check says; one that raises is our fault, never the learner's.

    Raises:
        InfraError: The check itself failed.
    """
    try:
        return check(trace, seen, work)
    except Exception as error:
        raise InfraError(f"a check failed: {type(error).__name__}: {error}") from error
