"""Finding the one file of a folder that answers an exercise."""

from dataclasses import dataclass
from pathlib import Path

from grader.cli.check_batch import exercise_in
from grader.cli.exercise_choice import exercise_folder, known_exercises
from grader.errors import InputError
from grader.exercises.submission import read_submission


@dataclass(frozen=True)
class Submitted:
    """One file to grade.

    Attributes:
        exercise: As the bank, here or behind the API, names it.
        folder: Of the exercise; None where no bank of this machine has it.
        source: The file's bytes.
    """

    exercise: str
    folder: Path | None
    source: bytes


def submitted_in(folder: Path, exercise: str | None) -> Submitted:
    """The submission in a folder.

    Args:
        folder: Searched whole; names that begin with a dot or an underscore, and links, are left
            out.
        exercise: Its name, or its folder as a path with a slash; None where the files' paths
            name it.

    Raises:
        InputError: No file answers it, or more than one does, or it cannot be used.
    """
    if not folder.is_dir():
        raise InputError(f"no folder {str(folder)!r}", remedy="give the folder of a submission")
    files = _python_files(folder)
    if exercise is None:
        return _by_path(files)
    own = _own_exercise(exercise)
    chosen = own.resolve().name if own is not None else exercise
    named = [n for n in files if n.rpartition("/")[2] == f"{chosen}.py"]
    name = _only(named or list(files), remedy=f"hand in one Python file, named {chosen}.py")
    return Submitted(chosen, own, read_submission(files[name]).source)


def _own_exercise(exercise: str) -> Path | None:
    """The exercise's folder on this machine.

    A bare name is never looked for in the working folder: on a runner that is the learner's, and
    an exercise is code that is trusted.
    """
    return exercise_folder(exercise) if "/" in exercise else known_exercises().get(exercise)


def _python_files(folder: Path) -> dict[str, Path]:
    # A link may lead out of the folder, to what its owner could not read.
    found = (p for p in sorted(folder.rglob("*.py")) if not p.is_symlink())
    files = {p.relative_to(folder).as_posix(): p for p in found}
    return {n: p for n, p in files.items() if not any(s[0] in "._" for s in n.split("/"))}


def _by_path(files: dict[str, Path]) -> Submitted:
    known = known_exercises()
    answers = {n: e for n in files if (e := exercise_in(n, known)) is not None}
    name = _only(
        list(answers),
        remedy=f"hand in one file named after its exercise: {', '.join(known)}",
    )
    chosen = answers[name]
    return Submitted(chosen, known[chosen], read_submission(files[name]).source)


def _only(names: list[str], *, remedy: str) -> str:
    if not names:
        raise InputError("no Python file was handed in that answers an exercise", remedy=remedy)
    if len(names) > 1:
        raise InputError(f"several files may be the submission: {', '.join(names)}", remedy=remedy)
    return names[0]
