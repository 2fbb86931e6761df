"""Trying a file against the public examples alone, as a learner may."""

import builtins
from collections.abc import Mapping

from grader.exercises.budget import Budget
from grader.exercises.counterexample import buffers, statement
from grader.exercises.example import NOTHING, Example, Line, Raises
from grader.exercises.execution import Bench
from grader.exercises.exercise import Exercise
from grader.exercises.lease import Pool
from grader.exercises.smoke import SMOKE_CPU_S, SmokeResult, smoke
from grader.exercises.submission import Submission
from sandbox.ops import Call, New


def try_submission(exercise: Exercise, submission: Submission, pool: Pool) -> SmokeResult:
    """Imports a file and runs the public examples; no hidden case is touched.

    Raises:
        InfraError: Our side failed.
    """
    with pool.lease() as box:
        bench = Bench(
            box=box,
            source=submission.source,
            module=exercise.id,
            memory_mib=exercise.suite.memory_mib,
            budget=Budget(SMOKE_CPU_S, ()),
        )
        return smoke(bench, exercise)


def examples_as_code(exercise: Exercise) -> Mapping[str, str]:
    """The public examples as Python that runs beside the learner's file, by title."""
    return {example.title: _code(exercise.id, example) for example in exercise.examples}


def _code(module: str, example: Example) -> str:
    ops = [line.op for line in example.lines]
    names = {op.cls for op in ops if isinstance(op, New)}
    names |= {op.name for op in ops if isinstance(op, Call) and op.on is None}
    errors = {line.expected.error for line in example.lines if isinstance(line.expected, Raises)}
    names |= {error for error in errors if not hasattr(builtins, error)}
    lines = [f"from {module} import {', '.join(sorted(names))}", ""]
    for line in example.lines:
        lines += _shown(line)
    if any("np." in line for line in lines):
        lines.insert(0, "import numpy as np")
    return "\n".join(lines) + "\n"


def _shown(line: Line) -> list[str]:
    text = statement(line.op)
    kept = buffers(line.op)
    return [*kept, *_with_result(line, text)]


def _with_result(line: Line, text: str) -> list[str]:
    if line.expected is NOTHING:
        return [text]
    if isinstance(line.expected, Raises):
        error = line.expected.error
        return ["try:", f"    {text}", f"except {error}:", f"    print({error!r})"]
    return [f"print({text})  # {line.expected!r}"]
