"""Loading questions from YAML files, with errors that name file, line, field and remedy."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from grader.bank.namespace import BANK_FILE, namespace_of, qualified
from grader.bank.source import KeyPath, YamlSource, parse_yaml
from grader.domain.question import (
    CalculatedAnswer,
    GlossaryTerm,
    Hint,
    Number,
    Parameter,
    Question,
    Reference,
    Sample,
    Signal,
)
from grader.errors import QuestionUnknownError, RubricError

_MODELS: dict[str, type[BaseModel]] = {
    "signals": Signal,
    "numbers": Number,
    "glossary": GlossaryTerm,
    "samples": Sample,
    "hints": Hint,
    "references": Reference,
    "parameters": Parameter,
    "answer": CalculatedAnswer,
}
SETS_FOLDER = "sets"
RESERVED = frozenset({BANK_FILE, "constants.yaml"})
_EXERCISE_FILE = "question.yaml"


@dataclass(frozen=True)
class QuestionFile:
    """A question and where it came from."""

    path: Path
    source: YamlSource
    question: Question


class Bank:
    """Questions by id, in the order of their paths."""

    def __init__(self, files: Iterable[QuestionFile]) -> None:
        self._files: dict[str, QuestionFile] = {}
        for file in files:
            earlier = self._files.setdefault(file.question.id, file)
            if earlier is not file:
                raise RubricError(
                    f"{file.path}:{file.source.line_of(('id',))}: the id {file.question.id!r} is "
                    f"already used by {earlier.path}",
                    remedy="give one of the two another id",
                )

    def __iter__(self) -> Iterator[QuestionFile]:
        return iter(self._files.values())

    def __len__(self) -> int:
        return len(self._files)

    def get(self, question_id: str) -> Question:
        """The question of that id.

        Raises:
            QuestionUnknownError: Naming the nearest ids.
        """
        if question_id in self._files:
            return self._files[question_id].question
        near = difflib.get_close_matches(question_id, self._files, n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "see `grader bank list`"
        raise QuestionUnknownError(f"no question {question_id!r} in the bank", remedy=hint)


def load_bank(*folders: Path) -> Bank:
    """Loads every question below the folders.

    Raises:
        RubricError: On the first file that is not a legal question.
    """
    return Bank(file for folder in folders for file in _files_of(folder))


def _files_of(folder: Path) -> Iterator[QuestionFile]:
    namespace = namespace_of(folder)
    for path in question_paths(folder):
        yield _listed(load_question(path), namespace)


def _listed(file: QuestionFile, namespace: str) -> QuestionFile:
    """The question under the id by which it is known beside other banks' questions."""
    if not namespace:
        return file
    question_id = qualified(namespace, file.question.id)
    return replace(file, question=file.question.model_copy(update={"id": question_id}))


def find_question(question_id: str, *folders: Path) -> Question:
    """The question of that id, without reading the rest of the bank where the file bears its name.

    Raises:
        QuestionUnknownError: Naming the nearest ids.
        RubricError: A file that had to be read is not a legal question.
    """
    for folder in folders:
        namespace = namespace_of(folder)
        for path in question_paths(folder):
            if question_id in (qualified(namespace, n) for n in (path.stem, path.parent.name)):
                question = _listed(load_question(path), namespace).question
                if question.id == question_id:
                    return question
    return load_bank(*folders).get(question_id)


def question_paths(folder: Path) -> list[Path]:
    """The question files below a folder: all YAML files, of exercises only ``question.yaml``.

    Raises:
        RubricError: The folder does not exist.
    """
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise RubricError(f"no folder {str(folder)!r}", remedy="give the folder of a question bank")
    found = (p for p in folder.rglob("*") if p.suffix in (".yaml", ".yml") and p.is_file())
    return sorted(p for p in found if _holds_question(p.relative_to(folder)))


def _holds_question(path: Path) -> bool:
    """Beside questions a bank holds constants, interview sets, and exercises with own files."""
    folders = path.parts[:-1]
    if folders[:1] == (SETS_FOLDER,) or (not folders and path.name in RESERVED):
        return False
    return "coding" not in folders or path.name == _EXERCISE_FILE


def load_question(path: Path) -> QuestionFile:
    """Loads one question file.

    Raises:
        RubricError: Unreadable, not YAML, or against the format.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RubricError(
            f"{path}: cannot be read: {error}", remedy="give a UTF-8 text file"
        ) from error
    source = parse_yaml(text, str(path))
    return QuestionFile(path, source, question_of(source))


def question_of(source: YamlSource) -> Question:
    """Validates parsed YAML against the rubric format.

    Raises:
        RubricError: Listing every fault, each with file, line, field and remedy.
    """
    if not isinstance(source.data, dict):
        raise RubricError(
            f"{source.name}:1: a question is a mapping with id, topic, prompt and signals",
            remedy="see docs/rubric-format.md",
        )
    try:
        return Question.model_validate(source.data)
    except ValidationError as error:
        # A tuple that lost its items to faults of their own is reported as too short as well.
        items = [
            e for e in error.errors(include_url=False) if e["type"] != "too_short" or not e["input"]
        ]
        faults = [_fault(source, item) for item in items]
        raise RubricError("\n".join(faults), remedy="see docs/rubric-format.md") from error


def _fault(source: YamlSource, item: Any) -> str:
    path = _path_in_file(source.data, item["loc"], item["type"])
    where = f"{source.name}:{source.line_of(path)}"
    field = ".".join(str(step) for step in path) or "question"
    return f"{where}: {field}: {_explained(item, path)}"


def _path_in_file(data: Any, steps: KeyPath, fault: str) -> KeyPath:
    """The steps that are keys or indexes of the file, without the variants pydantic tried."""
    path: KeyPath = ()
    for step in steps:
        if _holds(data, step):
            data, path = data[step], (*path, step)
        elif step is steps[-1] and fault == "missing":
            path = (*path, step)
    return path


def _holds(data: Any, step: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(step, int) and step < len(data)
    return isinstance(data, dict) and step in data


def _explained(item: Any, path: KeyPath) -> str:
    match item["type"]:
        case "extra_forbidden":
            return _unknown_key(path)
        case "missing":
            return "is missing"
        case "value_error":
            return str(item["ctx"]["error"])
    given = item.get("input")
    shown = repr(given) if isinstance(given, str | int | float | bool) else type(given).__name__
    return f"{item['msg']}, got {shown[:80]}"


def _unknown_key(path: KeyPath) -> str:
    known = _known_keys(path[:-1])
    near = difflib.get_close_matches(str(path[-1]), known, n=1, cutoff=0.0)
    return f"unknown key; the nearest known key is {near[0]!r}"


def _known_keys(parent: KeyPath) -> list[str]:
    """The keys that the format knows at a place, found by the names on the way to it."""
    names = [step for step in parent if isinstance(step, str)]
    if names and names[0] == "relations":
        return ["kind", "signals", "signal", "needs"]
    model = Question if not names else _MODELS.get(names[-1]) or _MODELS.get(names[0], Question)
    return [field.alias or name for name, field in model.model_fields.items()]
