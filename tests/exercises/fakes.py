"""Pools that fail on purpose, where the real ones cannot be made to."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sandbox.errors import InfraError, RunEnded
from sandbox.limits import Limits
from sandbox.observation import LoadResult, NameInfo, Observation, Reading, RunReport, TraceResult
from sandbox.ops import Op
from sandbox.outcome import Outcome

READING = Reading(0.0, 0.0, 0, 0, 0)
NAMES = {
    "Total": NameInfo(
        "class",
        ("submission.Total", "builtins.object"),
        None,
        {name: NameInfo("function", (), None, {}) for name in ("add", "value")},
    )
}


class FakeRun:
    """A run whose answers a test decides."""

    def __init__(self, answer: Callable[[Op], Observation]) -> None:
        self._answer = answer

    def __enter__(self) -> "FakeRun":
        return self

    def __exit__(self, *ended: object) -> None:
        return None

    def load(self) -> LoadResult:
        return LoadResult(None, NAMES, READING)

    def call(self, op: Op) -> Observation:
        return self._answer(op)

    def trace(self, ops: Sequence[Op]) -> TraceResult:
        return TraceResult(tuple(map(self._answer, ops)), READING)

    def batch(self, traces: Sequence[Sequence[Op]]) -> list[TraceResult]:
        return [self.trace(ops) for ops in traces]

    def close(self) -> RunReport:
        return RunReport(None, "", 0.1, 1 << 20, "", "", False)


@dataclass
class FakePool:
    """Gives runs; `starts` decides what each start does.

    Attributes:
        starts: One behaviour a start: a function that answers operations, or an error to raise.
            The last one stays in force.
        leases: Boxes lent so far.
        limits: Limits of the runs started.
    """

    starts: list[Callable[[Op], Observation] | Exception]
    leases: int = 0
    limits: list[Limits] = field(default_factory=list)
    backend: str = "fake"
    proofs: tuple[str, ...] = ("nothing",)
    image_digest: str = "sha256:0"

    @contextmanager
    def lease(self) -> Iterator["FakePool"]:
        self.leases += 1
        yield self

    def start(self, source: bytes, module_name: str, limits: Limits) -> FakeRun:
        self.limits.append(limits)
        behaviour = self.starts.pop(0) if len(self.starts) > 1 else self.starts[0]
        if isinstance(behaviour, Exception):
            raise behaviour
        return FakeRun(behaviour)


def gone() -> InfraError:
    return InfraError("the engine is gone")


def ends(outcome: Outcome) -> Callable[[Op], Observation]:
    def answer(op: Op) -> Observation:
        raise RunEnded(outcome, "as the test wants it")

    return answer
