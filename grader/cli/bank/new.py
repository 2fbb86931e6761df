"""``grader bank new``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.bank.write import question_template, write_new


def command(
    question_id: Annotated[str, typer.Argument(help="Id of the new question.")],
    topic: Annotated[str, typer.Option(help="Its topic; also its folder.")] = "general",
    folder: Annotated[Path, typer.Option(help="Folder of the bank.")] = Path("rubrics"),
) -> None:
    """Write a question to fill in, with every key explained."""
    path = write_new(folder / topic / f"{question_id}.yaml", question_template(question_id, topic))
    print(f"{path}; fill it in, then run: grader bank lint {path}")
