"""What an exercise declares: its invariants, their cases, and what counts as a violation."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grader.exercises.choice import Choice
from grader.exercises.trace import Seen, Trace

KEPT_BACK = 1 / 30


class Mode(StrEnum):
    """How traces are handed to the submission.

    Attributes:
        BATCH: Many independent traces at once in one process; the fast default.
        ALONE: One trace in a process of its own; its CPU time and memory growth are meaningful.
        LOCKSTEP: As ALONE, and each operation is sent only after the one before was answered, so
            that the submission sees no later one and each observation has its own reading.
    """

    BATCH = "batch"
    ALONE = "alone"
    LOCKSTEP = "lockstep"


@dataclass(frozen=True)
class Violation:
    """Why a trace shows that the invariant does not hold.

    Attributes:
        step: Index of the step at which it shows.
        expected: What a right submission gives there, as the learner will read it.
        got: What was seen.
        code: Runnable lines to show instead of the trace; for cases too large to print.
    """

    step: int
    expected: str
    got: str
    code: str = ""


class Work(Counter[str]):
    """Evidence of work: what right things a run has seen, by name."""


Check = Callable[[Trace, Seen, Work], Violation | None]


@dataclass(frozen=True)
class Cases:
    """A family of traces.

    Attributes:
        generate: Makes one trace from choices.
        count: Traces drawn from the scoring seed.
        second_divisor: `count` divided by this, at least one, is the number of traces from a
            second seed, which must pass too; 0: none.
        mode: How they are handed over.
        cpu_s: CPU seconds that one trace may take, stated by the contract; None: the
            invariant's share of the suite's limit.
        searchable: Whether Hypothesis may look here for a small counter-example.
        story: Runnable lines that do what these cases do; shown where a stated limit is exceeded.
        removable: Whether any operation but the first may be left out of a trace and the check
            still judges what is left rightly; makes counter-examples shorter.
    """

    generate: Callable[[Choice], Trace]
    count: int = 24
    mode: Mode = Mode.BATCH
    cpu_s: float | None = None
    second_divisor: int = 2
    searchable: bool = True
    removable: bool = False
    story: str = ""

    @property
    def second_count(self) -> int:
        """Traces from the second seed; a stated cost is paid once only."""
        if self.cpu_s is not None or not self.second_divisor:
            return 0
        return max(self.count // self.second_divisor, 1)


@dataclass(frozen=True)
class Invariant:
    """One weighted property; weight and statement stand in ``question.yaml`` under the same id.

    Attributes:
        check: Judges one trace by what was seen of it; pure but for what it counts as work.
        cases: Families of traces, run in this order.
        demands: Evidence of work that a whole run must bring, by name and least count.
        regressions: Traces that are always run, beside the drawn ones.
        memory_mib: Memory limit of the submission's process; None: the suite's.
    """

    id: str
    check: Check
    cases: tuple[Cases, ...]
    demands: Mapping[str, int] = field(default_factory=dict)
    regressions: tuple[Trace, ...] = ()
    memory_mib: int | None = None

    @property
    def stated_cpu_s(self) -> float:
        """CPU seconds that the contract states for its cases, all together."""
        return sum(family.cpu_s * family.count for family in self.cases if family.cpu_s)


@dataclass(frozen=True)
class Suite:
    """All hidden checks of one exercise.

    Attributes:
        cpu_s: CPU seconds of the submission's processes for the whole suite.
        memory_mib: Memory limit of each process.
        invariants: In the order in which they are run and reported.
        sizes: Names of members that only tell sizes, lengths or loads: an author's check that
            nothing is given for nothing lets them tell the truth.
    """

    cpu_s: float
    invariants: tuple[Invariant, ...]
    memory_mib: int = 512
    sizes: tuple[str, ...] = ()

    def share_s(self, invariant: Invariant) -> float:
        """The invariant's own part of the limit: stated costs in full, the rest in equal parts.

        A thirtieth of the limit is nobody's: it pays for looking again at what failed.
        """
        left = self.cpu_s * (1 - KEPT_BACK) - sum(i.stated_cpu_s for i in self.invariants)
        unstated = [i for i in self.invariants if not _wholly_stated(i)]
        equal = left / len(unstated) if unstated else 0.0
        return invariant.stated_cpu_s + (0.0 if _wholly_stated(invariant) else equal)


def _wholly_stated(invariant: Invariant) -> bool:
    return all(family.cpu_s for family in invariant.cases) and not invariant.regressions
