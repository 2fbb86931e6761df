"""``grader exercise new``."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="New folder, named like the exercise.")],
) -> None:
    """Write a small working exercise to start from."""
    from grader.exercises.kit.scaffold import new_exercise

    for path in new_exercise(folder):
        print(path)
    print(f"now run: grader exercise verify {folder}")
