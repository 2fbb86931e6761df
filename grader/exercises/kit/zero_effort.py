"""Submissions that do no work, to prove that an exercise gives no points for nothing.

Each is the reference with its answers thrown away: every name returns None, a constant of the
right type and shape, its first argument or a part of it, its previous result, or always raises.
Guarded ones keep the reference's argument checks and tell sizes truthfully.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.exercises.exercise import Exercise
from grader.exercises.kit.mutants import graded
from grader.exercises.lease import Pool

MOST_POINTS = 15.0
_WRAPPER = Path(__file__).with_name("idle_wrapper.py")
_CONSTANTS = {"0": "0", "1": "1", "-1": "-1", "NaN": "float('nan')"}
_ANSWERS = ("none", "empty", "argument", "part", "previous")


@dataclass(frozen=True)
class IdleSubmission:
    """A submission that does no work, and what it does instead."""

    name: str
    source: bytes


@dataclass(frozen=True)
class IdleScore:
    """What a submission that does no work got."""

    name: str
    score: float
    passed: tuple[str, ...]

    @property
    def too_high(self) -> bool:
        """Whether it got more than nothing may get."""
        return self.score > MOST_POINTS


def idle_submissions(exercise: Exercise) -> Iterator[IdleSubmission]:
    """Every kind of submission without work, bare and guarded."""
    errors = ["ValueError", "KeyError", *_own_errors(exercise)]
    for guarded in (False, True):
        label = "guarded" if guarded else "bare"
        for answer in _ANSWERS:
            yield _idle(exercise, f"{label} {answer}", guarded, how=answer)
        for name, constant in _CONSTANTS.items():
            yield _idle(exercise, f"{label} {name}", guarded, how="constant", constant=constant)
        for error in errors:
            yield _idle(exercise, f"{label} raises {error}", guarded, how="raise", error=error)


def _own_errors(exercise: Exercise) -> list[str]:
    return [n for n, kind in exercise.names.items() if kind.kind == "class" and kind.is_error]


def _idle(
    exercise: Exercise, name: str, guarded: bool, *, how: str, constant: str = "0", error: str = ""
) -> IdleSubmission:
    names = {
        n: None if kind.kind == "function" else list(kind.members)
        for n, kind in exercise.names.items()
        if not kind.is_error
    }
    truthful = exercise.suite.sizes if guarded else ()
    settings: dict[str, Any] = {
        "names": names,
        "how": how,
        "guarded": guarded,
        "truthful": truthful,
        "error": error,
    }
    settings_line = f"_IDLE = {{**{settings!r}, 'constant': {constant}}}"
    wrapper = _WRAPPER.read_text()
    text = "\n".join([exercise.reference.decode(), settings_line, wrapper])
    return IdleSubmission(name, text.encode())


def idle_scores(exercise: Exercise, pool: Pool, secret: bytes) -> Iterator[IdleScore]:
    """Grades each of them."""
    for idle in idle_submissions(exercise):
        result = graded(exercise, idle.source, pool, secret)
        passed = tuple(item.id for item in result.invariants if item.passed)
        yield IdleScore(idle.name, result.score, passed)
