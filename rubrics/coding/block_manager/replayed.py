"""Checks that replay a trace and ask a judge at each step."""

from collections.abc import Callable

from grader.exercises.authoring import (
    Call,
    Check,
    Kind,
    Mismatch,
    Observation,
    Seen,
    Step,
    Trace,
    Violation,
    Work,
)

from .replay import Replay

Judge = Callable[[Replay, Step, Observation, Work], Mismatch | None]


def replayed(before: Judge | None = None, after: Judge | None = None) -> Check:
    """A check that replays a trace and asks one judge at each step.

    Args:
        before: Asked while the bookkeeping still stands as it was before the step.
        after: Asked when the step is in the books.
    """

    def check(trace: Trace, seen: Seen, work: Work) -> Violation | None:
        replay = Replay.of(trace.facts)
        for index, step, got in seen.pairs(trace):
            wrong = before(replay, step, got, work) if before else None
            wrong = wrong or replay.follow(step, got)
            wrong = wrong or (after(replay, step, got, work) if after else None)
            if wrong:
                return wrong.at(index)
            count_progress(step, got, work)
        return None

    return check


def count_progress(step: Step, got: Observation, work: Work) -> None:
    if got.kind is Kind.VALUE and isinstance(step.op, Call) and not step.probe:
        work[step.op.name] += 1
