"""``grader bank lint``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.bank.lint import lint_folder
from grader.bank.load import question_paths
from grader.cli.bank.options import bank_folders
from grader.cli.exits import ExitStatus


def command(
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders or files; the shipped bank by default.")
    ] = None,
) -> None:
    """Find faults of rubrics, without any model. Exit status 2 where there is any."""
    places = bank_folders(folders)
    findings = [f for folder in places for f in lint_folder(folder)]
    for finding in findings:
        print(finding)
    count = sum(len(question_paths(folder)) for folder in places)
    print(f"{count} question files, {len(findings)} findings")
    if findings:
        raise typer.Exit(ExitStatus.BAD_INPUT)
