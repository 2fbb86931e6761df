"""``grader check``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.exercise_choice import exercise_folder
from grader.cli.exits import ExitStatus
from grader.cli.extras import needs_extra
from grader.cli.sandbox.check import backend_name
from grader.exercises.result import Reveal
from grader.settings import Settings


def command(
    exercise: Annotated[str, typer.Argument(help="Name of an exercise, or its folder.")],
    file: Annotated[Path, typer.Argument(help="The submission; its own name does not matter.")],
    backend: Annotated[str | None, typer.Option(help="docker or bwrap.")] = None,
    reveal: Annotated[Reveal, typer.Option(help="How much is shown.")] = Reveal.COUNTEREXAMPLES,
    as_json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
) -> None:
    """Grade a submission to a coding exercise in a sandbox."""
    folder, wanted = exercise_folder(exercise), backend_name(backend)
    with needs_extra("sandbox", "it draws hidden tests and drives the sandbox"):
        from grader.exercises.checking import check_submission
        from grader.exercises.submission import read_submission
    submission = read_submission(file)
    secret = Settings.from_environment().secret_bytes()
    result = check_submission(
        folder, submission.source, secret=secret, backend=wanted, reveal=reveal
    )
    if as_json:
        print(result.model_dump_json(indent=2))
    else:
        from rich.console import Console

        from grader.cli.code_card import print_code_card

        print_code_card(Console(highlight=False), result)
    if not result.assessed:
        raise typer.Exit(ExitStatus.FAULT)
