"""Reading an answer and its question from the command line's arguments."""

import sys
from pathlib import Path

from grader.bank.load import find_question, load_question
from grader.domain.question import Question
from grader.errors import InputError
from grader.settings import Settings

_MOST_BYTES = 4 * 1024 * 1024


def question_from(question_id: str | None, rubric: Path | None) -> Question:
    """The question named by ``--question`` (in the bank) or ``--rubric`` (a file).

    Raises:
        InputError: Both or neither are given, or the question cannot be had.
    """
    if (question_id is None) == (rubric is None):
        raise InputError("give either --question ID or --rubric FILE.yaml")
    if rubric is not None:
        if not rubric.is_file():
            raise InputError(f"--rubric: no file {str(rubric)!r}", remedy="give a YAML file")
        return load_question(rubric).question
    return find_question(question_id or "", *Settings.from_environment().bank_dirs)


def answer_text(argument: str) -> str:
    """The text of ``--answer TEXT | @FILE | -``.

    Raises:
        InputError: The file cannot be read, is too large or not UTF-8.
    """
    if argument == "-":
        return _decoded(sys.stdin.buffer.read(_MOST_BYTES + 1), "standard input")
    if not argument.startswith("@"):
        return argument
    path = Path(argument[1:])
    try:
        with path.open("rb") as file:
            return _decoded(file.read(_MOST_BYTES + 1), str(path))
    except OSError as error:
        raise InputError(
            f"--answer: {path} cannot be read: {error.strerror}",
            remedy="use @FILE with a readable file, - for standard input, or the text itself",
        ) from error


def _decoded(data: bytes, name: str) -> str:
    if len(data) > _MOST_BYTES:
        raise InputError(f"--answer: {name} is over {_MOST_BYTES} bytes", remedy="shorten it")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"--answer: {name} is not UTF-8 (byte {error.start})", remedy="save it as UTF-8"
        ) from error
