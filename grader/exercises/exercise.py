"""An exercise, loaded whole from its folder."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.bank.load import load_question
from grader.domain.question import Question, QuestionKind
from grader.exercises.example import Example
from grader.exercises.interface import RequiredName, required_names
from grader.exercises.invariant import Suite
from grader.exercises.source import ExerciseError, ExerciseSource, folder_version


@dataclass(frozen=True)
class Exercise:
    """A coding prompt with its hidden checks.

    Attributes:
        id: The exercise's name; also the module name under which a submission is imported.
        folder: Where it was loaded from.
        version: Hash of all that decides a verdict.
        names: What a submission must define.
        examples: What a learner may run.
    """

    id: str
    folder: Path
    version: str
    question: Question
    suite: Suite
    names: dict[str, RequiredName]
    examples: tuple[Example, ...]
    starter: str
    reference: bytes


def load_exercise(folder: Path) -> Exercise:
    """Loads an exercise from its folder.

    Raises:
        ExerciseError: Something is missing or does not fit together.
        RubricError: ``question.yaml`` is against the rubric format.
    """
    if not folder.is_dir():
        raise ExerciseError(
            f"no exercise folder {str(folder)!r}", remedy="give the folder of a coding exercise"
        )
    return _loaded(folder.resolve(), folder_version(folder))


@lru_cache(maxsize=64)
def _loaded(folder: Path, version: str) -> Exercise:
    """Loads a folder once for each state of its files: a long-lived grader checks many answers."""
    source = ExerciseSource(folder)
    question = load_question(folder / "question.yaml").question
    suite = _constant(source.module("invariants"), "SUITE", Suite)
    _check_consistent(folder, question, suite)
    starter = source.read("starter.py").decode()
    return Exercise(
        id=question.exercise,
        folder=folder,
        version=version,
        question=question,
        suite=suite,
        names=required_names(starter),
        examples=_constant(source.module("public"), "EXAMPLES", tuple),
        starter=starter,
        reference=source.read("reference.py"),
    )


def _constant(module: ModuleType, name: str, kind: type) -> Any:
    value = getattr(module, name, None)
    if not isinstance(value, kind):
        raise ExerciseError(
            f"{module.__file__}: {name} must be a {kind.__name__}, got {type(value).__name__}",
            remedy="see docs/exercise-authoring.md",
        )
    return value


def _check_consistent(folder: Path, question: Question, suite: Suite) -> None:
    if question.kind is not QuestionKind.CODING or not question.exercise.isidentifier():
        raise ExerciseError(
            f"{folder}/question.yaml: kind must be coding and exercise a Python name, got "
            f"{question.kind} and {question.exercise!r}",
            remedy="the submission is imported under the exercise's name",
        )
    signals = [signal.id for signal in question.signals]
    declared = [invariant.id for invariant in suite.invariants]
    if signals != declared:
        raise ExerciseError(
            f"{folder}: signals of question.yaml {signals} and invariants of SUITE {declared} "
            "differ",
            remedy="list the same ids in the same order",
        )
    if question.positive_weight != 100:
        raise ExerciseError(
            f"{folder}/question.yaml: weights sum to {question.positive_weight}, not 100",
            remedy="mend the weights",
        )
