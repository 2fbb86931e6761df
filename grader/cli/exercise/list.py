"""``grader exercise list``."""

from grader.bank.load import load_question
from grader.cli.exercise_choice import known_exercises


def command() -> None:
    """List the coding exercises by the name that check takes."""
    for name, folder in known_exercises().items():
        question = load_question(folder / "question.yaml").question
        print(f"{name:<20}  {question.minutes:>3} min  {question.title}  ({question.id})")
