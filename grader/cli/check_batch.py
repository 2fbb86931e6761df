"""``grader check-batch``."""

import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from grader.cli.exercise_choice import exercise_folder, known_exercises
from grader.cli.exits import ExitStatus
from grader.cli.extras import needs_extra
from grader.cli.sandbox.check import backend_name
from grader.exercises.result import CheckResult, Reveal
from grader.settings import Settings


def command(
    folder: Annotated[Path, typer.Argument(help="Folder of submissions.")],
    out: Annotated[Path, typer.Option(help="Results, one JSON line a file.")],
    exercise: Annotated[
        str | None, typer.Option(help="The exercise; else a folder or file name tells it.")
    ] = None,
    backend: Annotated[str | None, typer.Option(help="docker or bwrap.")] = None,
    reveal: Annotated[Reveal, typer.Option(help="How much is shown.")] = Reveal.COUNTEREXAMPLES,
) -> None:
    """Grade every file of a folder; run again, it does what is missing."""
    wanted = backend_name(backend)
    with needs_extra("sandbox", "it draws hidden tests and drives the sandbox"):
        from grader.exercises.checking import check_many, files_below
    groups, unknown = _by_exercise(files_below(folder), exercise)
    for name in unknown:
        print(f"grader: {name}: no exercise in its path; use --exercise", file=sys.stderr)
    secret = Settings.from_environment().secret_bytes()
    unassessed = 0
    for where, files in groups.items():
        done = check_many(where, files, out, secret=secret, backend=wanted, reveal=reveal)
        for number, (name, result) in enumerate(done, start=1):
            _tell(f"{where.name} {number}/{len(files)}", name, result)
            unassessed += result is not None and not result.assessed
    if unassessed:
        raise typer.Exit(ExitStatus.FAULT)
    if unknown:
        raise typer.Exit(ExitStatus.BAD_INPUT)


def _tell(progress: str, name: str, result: CheckResult | None) -> None:
    told = f"{result.verdict.value} {result.score:g}" if result else "done before, or unusable"
    print(f"[{progress}] {name}: {told}", file=sys.stderr)


def _by_exercise(
    files: Mapping[str, Path], exercise: str | None
) -> tuple[dict[Path, dict[str, Path]], list[str]]:
    """The files grouped by the folder of their exercise, and those that name none."""
    if exercise is not None:
        return {exercise_folder(exercise): dict(files)}, []
    known = known_exercises()
    groups: dict[Path, dict[str, Path]] = {}
    unknown = []
    for name, path in files.items():
        found = exercise_in(name, known)
        if found is None:
            unknown.append(name)
        else:
            groups.setdefault(known[found], {})[name] = path
    return groups, unknown


def exercise_in(name: str, known: Mapping[str, Path]) -> str | None:
    """The exercise that a path names: by a folder, else by the file's own name."""
    path = PurePosixPath(name)
    for part in reversed(path.parent.parts):
        if part in known:
            return part
    fits = [e for e in known if path.stem.startswith(e) or path.stem.endswith(e)]
    return max(fits, key=len, default=None)
