"""Running traces of one submission in fresh processes, and booking what they use."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from grader.exercises.budget import Budget
from grader.exercises.invariant import Mode
from grader.exercises.trace import Seen, Trace
from sandbox.errors import RunEnded
from sandbox.limits import MIB, Limits
from sandbox.observation import LoadResult, Observation, Reading, RunReport, TraceResult
from sandbox.ops import Op
from sandbox.outcome import Outcome

EXCHANGE_OPS = 2000


class Run(Protocol):
    """A fresh process of a submission; what `sandbox` gives."""

    def load(self) -> LoadResult:
        """Imports the submission."""

    def call(self, op: Op) -> Observation:
        """Does one operation in lock-step."""

    def trace(self, ops: list[Op]) -> TraceResult:
        """Does operations in order."""

    def batch(self, traces: Sequence[Sequence[Op]]) -> list[TraceResult]:
        """Does independent traces."""

    def close(self) -> RunReport:
        """Ends the run."""


class Box(Protocol):
    """Gives fresh runs of a submission."""

    def start(self, source: bytes, module_name: str, limits: Limits) -> AbstractContextManager[Run]:
        """A new run."""


@dataclass
class Usage:
    """What the runs of one invariant have used."""

    cpu_s: float = 0.0
    peak: int = 0
    printed: str = ""

    def add(self, report: RunReport) -> None:
        """Books one run."""
        self.cpu_s += report.cpu_s
        self.peak = max(self.peak, report.peak)
        self.printed = self.printed or report.stdout


@dataclass
class Bench:
    """Where traces of one submission are run.

    Attributes:
        box: Gives fresh processes.
        module: Name under which the submission is imported.
        memory_mib: Memory limit of each process.
        budget: The suite's; every run is booked there.
        usage: Of the invariant in hand.
    """

    box: Box
    source: bytes
    module: str
    memory_mib: int
    budget: Budget
    usage: Usage = field(default_factory=Usage)

    def limits(self, cpu_s: float) -> Limits:
        """Limits of one run."""
        return Limits(
            cpu_s=cpu_s,
            wall_s=self.budget.wall_for(cpu_s),
            memory_bytes=self.memory_mib * MIB,
        )

    @contextmanager
    def run(self, cpu_s: float) -> Iterator[Run]:
        """A fresh process with the submission imported.

        Raises:
            RunEnded: It ended before its time, or time for it is up, or the import failed.
        """
        with self.opened(cpu_s) as run:
            loaded = run.load()
            if loaded.raised is not None:
                raise RunEnded(Outcome.ERROR_ON_LOAD, f"raises {loaded.raised.type_name}")
            yield run

    @contextmanager
    def opened(self, cpu_s: float) -> Iterator[Run]:
        """A fresh process; the submission is not imported yet.

        Raises:
            RunEnded: No time is left.
        """
        if self.budget.over or cpu_s <= 0:
            raise RunEnded(Outcome.TIMEOUT, "the time of the whole suite is up")
        with self.box.start(self.source, self.module, self.limits(cpu_s)) as run:
            try:
                yield run
            finally:
                report = run.close()
                self.budget.spend(report.cpu_s)
                self.usage.add(report)


def seen_in(run: Run, trace: Trace, mode: Mode) -> Seen:
    """Does one trace in a run of its own."""
    if mode is not Mode.LOCKSTEP:
        result = run.trace(trace.operations())
        return Seen(result.observations, result.reading)
    observations = tuple(run.call(op) for op in trace.operations())
    return Seen(observations, _summed([o.reading for o in observations if o.reading]))


def batched(traces: Sequence[Trace]) -> Iterator[Sequence[Trace]]:
    """Consecutive groups of traces, each of a size to send at once."""
    group: list[Trace] = []
    size = 0
    for trace in traces:
        if group and size + len(trace) > EXCHANGE_OPS:
            yield group
            group, size = [], 0
        group.append(trace)
        size += len(trace)
    if group:
        yield group


def seen_in_batch(run: Run, traces: Sequence[Trace]) -> list[Seen]:
    """Does independent traces in one exchange."""
    results = run.batch([trace.operations() for trace in traces])
    return [Seen(result.observations, result.reading) for result in results]


def _summed(readings: Sequence[Reading]) -> Reading:
    """One reading over a trace in lock-step."""
    if not readings:
        return Reading(0.0, 0.0, 0, 0, 0)
    return Reading(
        cpu_s=sum(r.cpu_s for r in readings),
        wall_s=sum(r.wall_s for r in readings),
        rss_before=readings[0].rss_before,
        peak=max(r.peak for r in readings),
        rss_fork=readings[0].rss_fork,
    )
