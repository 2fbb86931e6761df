"""Wrong solutions of an exercise, and which invariants catch them."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.exercises.exercise import Exercise
from grader.exercises.lease import Pool
from grader.exercises.result import CheckResult, Reveal
from grader.exercises.source import ExerciseError
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun

_KILLS = re.compile(r"Kills:\s*([^.]+)\.")


@dataclass(frozen=True)
class Mutant:
    """A wrong solution.

    Attributes:
        killers: Ids of the invariants that must fail.
    """

    name: str
    source: bytes
    killers: tuple[str, ...]


@dataclass(frozen=True)
class MatrixRow:
    """One line of the kill matrix.

    Attributes:
        killed_by: Invariants that failed.
        survived: Invariants that ought to have failed and did not.
    """

    mutant: str
    killed_by: tuple[str, ...]
    survived: tuple[str, ...]
    score: float


def mutants_of(exercise: Exercise) -> list[Mutant]:
    """The mutants of an exercise, by file name.

    Raises:
        ExerciseError: There is none, or one does not name the invariants that kill it.
    """
    paths = sorted((exercise.folder / "mutants").glob("*.py"))
    if not paths:
        raise ExerciseError(
            f"{exercise.folder}/mutants holds no wrong solution",
            remedy="write one for each mistake that the invariants must catch",
        )
    ids = {invariant.id for invariant in exercise.suite.invariants}
    return [_mutant(path, ids) for path in paths]


def _mutant(path: Path, ids: set[str]) -> Mutant:
    source = path.read_bytes()
    header = ast.get_docstring(ast.parse(source)) or ""
    found = _KILLS.search(header)
    killers = tuple(re.split(r"[,\s]+", found.group(1).strip())) if found else ()
    if not killers or not ids.issuperset(killers):
        raise ExerciseError(
            f"{path}: its docstring must begin with 'Kills: ' and ids of invariants, got "
            f"{header.splitlines()[:1]}",
            remedy=f"name some of {', '.join(sorted(ids))}",
        )
    return Mutant(path.stem, source, killers)


def kill_matrix(
    exercise: Exercise, mutants: Sequence[Mutant], pool: Pool, secret: bytes
) -> Iterator[MatrixRow]:
    """Runs each mutant through the suite."""
    for mutant in mutants:
        result = graded(exercise, mutant.source, pool, secret)
        failed = tuple(item.id for item in result.invariants if not item.passed)
        survived = tuple(name for name in mutant.killers if name not in failed)
        yield MatrixRow(mutant.name, failed, survived, result.score)


def graded(exercise: Exercise, source: bytes, pool: Pool, secret: bytes) -> CheckResult:
    """A verdict without the search for counter-examples, which no report here shows."""
    return SuiteRun(exercise, submission_of(source), pool, secret).result(Reveal.NAMES)
