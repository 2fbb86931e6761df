"""The option that all bank commands share."""

from pathlib import Path
from typing import Annotated

import typer

from grader.settings import Settings

BankOption = Annotated[
    list[Path] | None,
    typer.Option("--bank", help="Folder of a question bank; may be given several times."),
]


def bank_folders(given: list[Path] | None) -> tuple[Path, ...]:
    """The folders given, else those of the settings."""
    return tuple(given) if given else Settings.from_environment().bank_dirs
