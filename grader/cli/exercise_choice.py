"""Finding the folder of a coding exercise."""

import difflib
from pathlib import Path

from grader.bank.load import load_question
from grader.errors import InputError
from grader.settings import Settings


def exercise_folder(name: str) -> Path:
    """The folder of an exercise, given as a path or as the name of one of the banks' exercises.

    Raises:
        InputError: There is none; names the nearest.
    """
    # An exercise's own Python is trusted: a folder that happens to lie here under the name of one
    # of the bank's, such as a learner's, must not take its place.
    known = known_exercises()
    if name in known:
        return known[name]
    if (Path(name) / "question.yaml").is_file():
        return Path(name)
    by_question = {question_id(folder): folder for folder in known.values()}
    if name in by_question:
        return by_question[name]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    raise InputError(f"no exercise {name!r}", remedy=hint)


def question_id(folder: Path) -> str:
    """The id under which the bank lists an exercise."""
    return load_question(folder / "question.yaml").question.id


def known_exercises() -> dict[str, Path]:
    """Every exercise of the banks, by name."""
    folders = (bank / "coding" for bank in Settings.from_environment().bank_dirs)
    files = sorted(f for folder in folders for f in folder.glob("*/question.yaml"))
    return {file.parent.name: file.parent for file in files}
