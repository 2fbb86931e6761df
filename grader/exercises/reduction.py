"""Leaving operations out of a failing trace while it still fails.

Hypothesis shrinks what a generator chose; this then drops what the story can do without. Only
for families whose generator says that operations may be left out: there every operation stands
for itself, and a check judges whatever is left. Many candidates cross in one exchange.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from grader.exercises.execution import EXCHANGE_OPS, Bench, Run, seen_in_batch
from grader.exercises.invariant import Check, Work
from grader.exercises.judging import Failure, judged
from grader.exercises.search import SearchBudget, SearchOver
from grader.exercises.trace import Step, Trace
from sandbox.errors import RunEnded

Act = tuple[Step, ...]
"""An operation of the story with the probes that follow it."""


def reduced(bench: Bench, check: Check, failure: Failure, budget: SearchBudget) -> Failure:
    """A failure of the same invariant with fewer operations, as far as the budget goes.

    Raises:
        InfraError: Our side failed.
    """
    best = failure
    with suppress(RunEnded, SearchOver), bench.run(bench.budget.spare_cpu_s) as run:
        size = max(len(_acts(best)) // 2, 1)
        while size:
            smaller = _first_failing(run, check, best, size, budget)
            best = smaller or best
            size = size if smaller else size // 2
    return best


def _first_failing(
    run: Run, check: Check, failure: Failure, size: int, budget: SearchBudget
) -> Failure | None:
    candidates = list(_without(_acts(failure), size))
    room = max(EXCHANGE_OPS // max(len(failure.trace), 1), 1)
    for start in range(0, len(candidates), room):
        traces = [_trace(acts, failure) for acts in candidates[start : start + room]]
        for _ in traces:
            budget.take()
        for trace, seen in zip(traces, seen_in_batch(run, traces), strict=True):
            if violation := judged(check, trace, seen, Work()):
                return Failure(trace, seen, violation, failure.family, [trace])
    return None


def _acts(failure: Failure) -> list[Act]:
    """The trace up to its violation, cut into acts."""
    acts: list[list[Step]] = []
    for step in failure.trace.steps[: failure.violation.step + 1]:
        if step.probe and acts:
            acts[-1].append(step)
        else:
            acts.append([step])
    return [tuple(act) for act in acts]


def _without(acts: Sequence[Act], size: int) -> Iterator[list[Act]]:
    """The acts without each run of that many; the first act always stays."""
    for start in range(1, len(acts), size):
        yield [*acts[:start], *acts[start + size :]]


def _trace(acts: Sequence[Act], failure: Failure) -> Trace:
    return Trace(tuple(step for act in acts for step in act), failure.trace.facts)
