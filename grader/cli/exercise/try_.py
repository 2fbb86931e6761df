"""``grader exercise try``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.exercise_choice import exercise_folder
from grader.cli.exits import ExitStatus
from grader.cli.extras import needs_extra
from grader.cli.sandbox.check import backend_name


def command(
    exercise: Annotated[str, typer.Argument(help="Name of an exercise, or its folder.")],
    file: Annotated[Path, typer.Argument(help="The submission.")],
    backend: Annotated[str | None, typer.Option(help="docker or bwrap.")] = None,
) -> None:
    """Import a file in the sandbox and run the public examples; no hidden case is touched."""
    folder, wanted = exercise_folder(exercise), backend_name(backend)
    with needs_extra("sandbox", "it drives the sandbox"):
        from grader.exercises.checking import open_sandbox
        from grader.exercises.exercise import load_exercise
        from grader.exercises.kit.trial import examples_as_code, try_submission
        from grader.exercises.submission import read_submission
    loaded, submission = load_exercise(folder), read_submission(file)
    with open_sandbox(loaded, wanted) as pool:
        result = try_submission(loaded, submission, pool)
    if result.fatal is not None:
        print(f"{result.fatal.value}: {result.explanation}")
        raise typer.Exit(ExitStatus.GRADED)
    faults = result.examples or {}
    for title, code in examples_as_code(loaded).items():
        print(f"{'✗' if title in faults else '✓'} {title}")
        if title in faults:
            print(f"  {faults[title]}\n\n{code}\n")
    print(f"{len(loaded.examples) - len(faults)} of {len(loaded.examples)} public examples hold")
