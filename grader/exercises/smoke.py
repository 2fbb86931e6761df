"""The first look: does the file import, does it define the names, do the public examples work?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.exercises.compare import (
    CLOSE32,
    Mismatch,
    array_mismatch,
    described,
    error_mismatch,
    value_mismatch,
)
from grader.exercises.counterexample import load_error, statement
from grader.exercises.example import NOTHING, Example, Line, Raises
from grader.exercises.execution import Bench, Run
from grader.exercises.exercise import Exercise
from grader.exercises.interface import RequiredName
from grader.exercises.trace import materialised
from sandbox.errors import RunEnded
from sandbox.observation import Kind, LoadResult, NameInfo, Observation
from sandbox.outcome import Outcome

SMOKE_CPU_S = 3.0


@dataclass(frozen=True)
class SmokeResult:
    """What the first look found.

    Attributes:
        fatal: Why nothing can be graded; None if the rest may run.
        explanation: The same for a learner.
        examples: Faults found in the public examples, by title.
    """

    fatal: Outcome | None = None
    explanation: str = ""
    examples: Mapping[str, str] | None = None


def smoke(bench: Bench, exercise: Exercise) -> SmokeResult:
    """Imports the submission and runs the public examples.

    Raises:
        InfraError: Our side failed.
    """
    try:
        with bench.opened(SMOKE_CPU_S) as run:
            loaded = run.load()
            if problem := _load_problem(loaded, exercise, bench.source):
                return SmokeResult(Outcome.ERROR_ON_LOAD, problem)
            return SmokeResult(examples=_faults(run, exercise.examples))
    except RunEnded as ended:
        return SmokeResult(ended.outcome, f"# importing the file: {ended.detail}")


def _faults(run: Run, examples: Sequence[Example]) -> dict[str, str]:
    """What is wrong with the examples; a process that ends in one fails that one only.

    Raises:
        RunEnded: The submission broke the protocol, which voids it as a whole.
    """
    faults = {}
    for example in examples:
        try:
            (result,) = run.batch([[materialised(line.op) for line in example.lines]])
        except RunEnded as ended:
            if ended.outcome is Outcome.PROTOCOL_ERROR:
                raise
            faults[example.title] = f"{ended.outcome}: {ended.detail}"
            break
        if fault := example_fault(example, result.observations):
            faults[example.title] = fault
    return faults


def example_fault(example: Example, seen: tuple[Observation, ...]) -> str:
    """What the first wrong line of an example gave; empty if all are right."""
    for line, observation in zip(example.lines, seen, strict=True):
        if wrong := _line_mismatch(line, observation):
            return f"{statement(line.op)}  # expected: {wrong.expected}, got: {wrong.got}"
    return ""


def _line_mismatch(line: Line, seen: Observation) -> Mismatch | None:
    if isinstance(line.expected, Raises):
        return error_mismatch(seen, line.expected.error)
    if line.expected is NOTHING:
        return None if seen.kind is Kind.VALUE else Mismatch("no error", described(seen))
    if isinstance(line.expected, np.ndarray):
        return array_mismatch(seen, line.expected, CLOSE32, line.expected.dtype.name)
    return value_mismatch(seen, line.expected)


def _load_problem(loaded: LoadResult, exercise: Exercise, source: bytes) -> str:
    if loaded.raised is not None:
        return load_error(loaded.raised, source.decode())
    missing = missing_names(exercise.names, loaded.names)
    return f"# the file does not define {', '.join(missing)}" if missing else ""


def missing_names(required: Mapping[str, RequiredName], found: Mapping[str, NameInfo]) -> list[str]:
    """Required names that are absent or of another kind, methods as ``Class.method``.

    Methods are looked for in classes without bases of their own, since what a class inherits is
    not listed; attributes may also be set by the constructor, so they are never missed here.
    """
    missing: list[str] = []
    for name, wanted in required.items():
        info = found.get(name)
        if info is None or (wanted.kind == "class") != (info.kind == "class"):
            missing.append(name)
        elif len(info.ancestry) <= 2:
            missing += [
                f"{name}.{member}"
                for member, kind in wanted.members.items()
                if kind.kind == "function" and member not in info.members
            ]
    return missing
