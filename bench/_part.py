"""The block manager's suite without its invariant on cost."""

from dataclasses import replace
from pathlib import Path

from grader.exercises.exercise import Exercise, load_exercise

FOLDER = Path(__file__).parents[1] / "rubrics" / "coding" / "block_manager"


def part() -> Exercise:
    """Everything but BM9, whose 99,000 timed appends are the submission's own time."""
    exercise = load_exercise(FOLDER)
    signals = tuple(s for s in exercise.question.signals if s.id != "BM9")
    invariants = tuple(i for i in exercise.suite.invariants if i.id != "BM9")
    question = exercise.question.model_copy(update={"signals": signals})
    return replace(
        exercise, question=question, suite=replace(exercise.suite, invariants=invariants)
    )
