"""Traces: the operations that a submission is asked to do, and what was seen of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grader.exercises.arrays import Array
from sandbox.observation import Observation, Reading
from sandbox.ops import Buffer, Call, New, Op, Write


@dataclass(frozen=True)
class Step:
    """One operation of a trace.

    Attributes:
        op: What is done; its arguments may hold `Array`s.
        probe: Whether it only looks, so that a counter-example can leave it out.
        note: What the generator wants to tell the check.
    """

    op: Op
    probe: bool = False
    note: Any = None


@dataclass(frozen=True)
class Trace:
    """A list of operations on fresh handles.

    Attributes:
        facts: What the generator knows about the whole; never sent to the sandbox.
    """

    steps: tuple[Step, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.steps)

    def operations(self) -> list[Op]:
        """The operations as the sandbox takes them, every `Array` made."""
        return [materialised(step.op) for step in self.steps]


class TraceBuilder:
    """Collects the steps of one trace.

    Args:
        facts: What the check shall know about the whole trace.
    """

    def __init__(self, **facts: Any) -> None:
        self._steps: list[Step] = []
        self.facts = facts

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, op: Op, note: Any = None) -> int:
        """Appends an operation that belongs to the story; returns its index."""
        self._steps.append(Step(op, note=note))
        return len(self._steps) - 1

    def probe(self, op: Op, note: Any = None) -> int:
        """Appends an operation that only looks; returns its index."""
        self._steps.append(Step(op, probe=True, note=note))
        return len(self._steps) - 1

    def build(self) -> Trace:
        """The trace so far."""
        return Trace(tuple(self._steps), self.facts)


@dataclass(frozen=True)
class Seen:
    """What came back for one trace.

    Attributes:
        observations: One per step.
        reading: CPU time and memory of the whole trace; of limited use in a batch, where it is
            that of all traces sent together.
    """

    observations: tuple[Observation, ...]
    reading: Reading

    def pairs(self, trace: Trace) -> Iterator[tuple[int, Step, Observation]]:
        """Index, step and observation, in order."""
        for index, (step, seen) in enumerate(zip(trace.steps, self.observations, strict=True)):
            yield index, step, seen


def materialised(op: Op) -> Op:
    """The operation as the sandbox takes it: itself, where no argument can hold an `Array`."""
    if isinstance(op, New | Call):
        if not op.kwargs and all(type(a) in _PLAIN for a in op.args):
            return op
        args = tuple(_made(a) for a in op.args)
        return replace(op, args=args, kwargs={k: _made(v) for k, v in op.kwargs.items()})
    if isinstance(op, Write):
        return replace(op, value=_made(op.value))
    return op


_PLAIN = frozenset({int, str, float, bool, type(None)})


def _made(value: Any) -> Any:
    if isinstance(value, Array):
        return Buffer(value.values, value.layout, value.readonly, value.into)
    if type(value) in (list, tuple):
        return type(value)(_made(item) for item in value)
    if type(value) is dict:
        return {key: _made(item) for key, item in value.items()}
    return value
