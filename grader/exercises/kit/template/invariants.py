"""What must hold, judged by replay."""

from grader.exercises.authoring import (
    Call,
    Cases,
    Invariant,
    Seen,
    Suite,
    Trace,
    Violation,
    Work,
    error_mismatch,
    value_mismatch,
)

from .operations import totals


def check_sum(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """The total is what was added, by the amounts that were accepted."""
    total = 0
    for index, step, got in seen.pairs(trace):
        match step.op:
            case Call(name="add", args=(amount,)) if amount >= 0:
                total += amount
                if wrong := value_mismatch(got, total):
                    return wrong.at(index)
                work["amounts"] += 1
            case Call(name="add"):
                return None
    return None


def check_errors(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """A negative amount raises and leaves the total as it was."""
    total = 0
    for index, step, got in seen.pairs(trace):
        wrong = None
        match step.op:
            case Call(name="add", args=(amount,)) if amount < 0:
                wrong = error_mismatch(got, "ValueError")
                work["refused"] += 1
            case Call(name="add", args=(amount,)):
                total += amount
            case Call(name="value"):
                wrong = value_mismatch(got, total)
                work["looked"] += 1
        if wrong:
            return wrong.at(index)
    return None


SUITE = Suite(
    cpu_s=5,
    memory_mib=256,
    invariants=(
        Invariant("TO1", check_sum, cases=(Cases(totals),), demands={"amounts": 1}),
        Invariant("TO2", check_errors, cases=(Cases(totals),), demands={"refused": 1, "looked": 1}),
    ),
)
