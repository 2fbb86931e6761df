"""The exercises' suites without any sandbox: operations done directly in the judging process.

For comparison only. It is what graders without isolation do, and the floor of what a verdict costs.
"""

import copy
import time
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sandbox.guest.inspection import execute, survey
from sandbox.guest.operations import _LAYOUTS, describe
from sandbox.limits import Limits
from sandbox.observation import (
    Kind,
    LoadResult,
    Observation,
    Raised,
    Reading,
    RunReport,
    TraceResult,
    decode_load,
)
from sandbox.ops import Buffer, Call, Del, Get, New, Op, Read, Ref, Write


class InProcessPool:
    """A pool, its only box, and a run in it, as far as correct code needs them."""

    backend = "in process"
    proofs: tuple[str, ...] = ()
    image_digest = "none"

    @contextmanager
    def lease(self) -> Iterator["InProcessPool"]:
        """Lends itself."""
        yield self

    def start(self, source: bytes, module_name: str, limits: Limits) -> "InProcessRun":
        """A fresh module; nothing limits it."""
        del limits
        return InProcessRun(source, module_name)


class InProcessRun:
    """One module of a submission, run here."""

    def __init__(self, source: bytes, name: str) -> None:
        self._source, self._module = source, types.ModuleType(name)
        self._held: dict[str, Any] = {}
        self._cpu = time.process_time()

    def __enter__(self) -> "InProcessRun":
        return self

    def __exit__(self, *ended: object) -> None:
        return None

    def load(self) -> LoadResult:
        """Imports the submission."""
        execute(self._module, self._source)
        raised, names = decode_load(["v", survey(self._module)])
        return LoadResult(raised, names, self._reading(self._cpu))

    def call(self, op: Op) -> Observation:
        """Does one operation."""
        started = time.process_time()
        try:
            value = copy.deepcopy(self._done(op))
        except Exception as error:
            kind, ancestry, message, _ = describe(error, self._module)
            return Observation(Kind.RAISED, raised=Raised(kind, tuple(ancestry), message, ()))
        return Observation(Kind.VALUE, value, reading=self._reading(started))

    def trace(self, ops: Sequence[Op]) -> TraceResult:
        """Does operations in order."""
        started = time.process_time()
        return TraceResult(tuple(map(self.call, ops)), self._reading(started))

    def batch(self, traces: Sequence[Sequence[Op]]) -> list[TraceResult]:
        """Does independent traces."""
        results = []
        for ops in traces:
            self._held.clear()
            results.append(self.trace(ops))
        return results

    def close(self) -> RunReport:
        """Ends the run."""
        cpu_s = time.process_time() - self._cpu
        return RunReport(None, "", cpu_s, 0, "", "", output_cut=False)

    def _reading(self, started: float) -> Reading:
        cpu_s = time.process_time() - started
        return Reading(cpu_s, cpu_s, 0, 0, 0)

    def _done(self, op: Op) -> Any:
        match op:
            case New():
                self._held[op.into] = self._called(self._module, op.cls, op)
            case Call():
                owner = self._module if op.on is None else self._value(_target(op.on))
                result = self._called(owner, op.name, op)
                if op.into is not None:
                    self._held[op.into] = result
                return None if op.quiet else result
            case Get():
                return getattr(self._value(_target(op.on)), op.name)
            case Read():
                return self._value(_target(op.target))
            case Write():
                at = slice(None) if op.at is None else op.at
                self._value(_target(op.target))[at] = self._value(op.value)
            case Del():
                del self._held[op.target]
        return None

    def _called(self, owner: Any, name: str, op: New | Call) -> Any:
        if not op.kwargs:
            return getattr(owner, name)(*map(self._value, op.args))
        named = {key: self._value(value) for key, value in op.kwargs.items()}
        return getattr(owner, name)(*map(self._value, op.args), **named)

    def _value(self, value: Any) -> Any:
        if isinstance(value, Ref):
            found = self._held[value.name]
            for step in value.path:
                found = found[step]
            return found
        if isinstance(value, Buffer):
            array = _LAYOUTS[value.layout](value.array.copy())
            array.flags.writeable = not value.readonly
            if value.into is not None:
                self._held[value.into] = array
            return array
        return copy.copy(value) if type(value) in (list, dict) else value


def _target(target: Ref | str) -> Ref:
    return Ref(target) if isinstance(target, str) else target
