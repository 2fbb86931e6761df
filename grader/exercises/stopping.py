"""Finding the operation at which a submission stops answering.

A batch that never came back says only that something in it hangs, dies or eats memory. Here fresh
traces are walked in lock-step until it happens again, so that the learner sees where.
"""

from grader.exercises.choice import SeededChoice
from grader.exercises.execution import Bench, Run
from grader.exercises.invariant import Cases, Violation
from grader.exercises.judging import Failure
from grader.exercises.search import SearchBudget, SearchOver
from grader.exercises.seeds import SuiteSeed
from grader.exercises.trace import Seen, Trace
from sandbox.errors import RunEnded
from sandbox.observation import Kind, Observation, Reading
from sandbox.outcome import Outcome

WALK_CPU_S = 1.0
WALKS = 20
STOPPED = (Outcome.TIMEOUT, Outcome.KILLED, Outcome.MEMORY_LIMIT)
_NOTHING = Reading(0.0, 0.0, 0, 0, 0)


def stopping_point(
    bench: Bench, family: Cases, seed: SuiteSeed, label: str, budget: SearchBudget
) -> Failure | None:
    """A trace up to the operation that is never answered; None where all are.

    Args:
        bench: Where to run.
        family: What kind of traces to walk.
        seed: Of this submission.
        label: Tells the traces apart from those of other invariants, and from the scored ones.
        budget: Counts traces, and the seconds.

    Raises:
        InfraError: Our side failed.
    """
    try:
        with bench.run(min(WALK_CPU_S, bench.budget.spare_cpu_s)) as run:
            for number in range(WALKS):
                budget.take()
                trace = family.generate(SeededChoice(seed.child("walk", label, str(number))))
                if failure := _walked(run, trace, family):
                    return failure
    except (SearchOver, RunEnded):
        return None
    return None


def _walked(run: Run, trace: Trace, family: Cases) -> Failure | None:
    seen: list[Observation] = []
    for index, op in enumerate(trace.operations()):
        try:
            seen.append(run.call(op))
        except RunEnded as ended:
            if ended.outcome not in STOPPED:
                raise
            seen.append(Observation(Kind.REFUSED, note=ended.detail))
            part = Trace(trace.steps[: index + 1], trace.facts)
            violation = Violation(index, "an answer", f"{ended.outcome}: {ended.detail}")
            return Failure(part, Seen(tuple(seen), _NOTHING), violation, family, [part])
    return None
