"""A small working exercise to start a new one from."""

import shutil
from pathlib import Path

from grader.errors import InputError

_TEMPLATE = Path(__file__).with_name("template")
_QUESTION = "question.yaml"


def new_exercise(folder: Path) -> list[Path]:
    """Writes a working exercise, named after the folder.

    Returns:
        The files written.

    Raises:
        InputError: The folder is there already, or its name is no Python name.
    """
    if not folder.name.isidentifier():
        raise InputError(
            f"{folder.name!r} is no Python name",
            remedy="the submission is imported under the exercise's name, e.g. kv_cache",
        )
    if folder.exists():
        raise InputError(f"{str(folder)!r} is there already", remedy="give a new folder")
    shutil.copytree(_TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    question = folder / _QUESTION
    question.write_text(question.read_text().replace("EXERCISE", folder.name), encoding="utf-8")
    return sorted(p for p in folder.rglob("*") if p.is_file())
