"""``grader exercise starter``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.bank.write import write_new
from grader.cli.exercise_choice import exercise_folder


def command(
    exercise: Annotated[str, typer.Argument(help="Name of an exercise, or its folder.")],
    out: Annotated[Path | None, typer.Option(help="Where to write it; printed by default.")] = None,
) -> None:
    """Give the file that a learner starts from."""
    text = (exercise_folder(exercise) / "starter.py").read_text(encoding="utf-8")
    if out is None:
        print(text, end="")
    else:
        print(write_new(out, text))
