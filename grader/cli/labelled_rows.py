"""Reading JSON lines of which each is about one signal of one answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ConfigDict, ValidationError

from grader.domain.model import FrozenModel
from grader.errors import InputError

Key = tuple[str, str, str]


class SignalRow(FrozenModel):
    """What every such row has; further keys are let through."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    question_id: str
    answer_id: str
    signal_id: str


_Row = TypeVar("_Row", bound=SignalRow)


def keyed_rows(path: Path, model: type[_Row], option: str) -> Iterator[tuple[Key, _Row]]:
    """Yields each row with question, answer and signal.

    Args:
        path: The file.
        model: Its rows; has ``question_id``, ``answer_id`` and ``signal_id``.
        option: Option of the command line that named it, for messages.

    Raises:
        InputError: The file cannot be read, a row is bad, or a signal stands twice.
    """
    seen: set[Key] = set()
    try:
        file = path.open(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{option}: {path} cannot be read: {error.strerror}", remedy="give a JSON-lines file"
        ) from error
    with file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            row = _row(model, line, f"{option}: line {number}")
            key = (row.question_id, row.answer_id, row.signal_id)
            if key in seen:
                raise InputError(f"{option}: line {number}: {'/'.join(key)} stands twice")
            seen.add(key)
            yield key, row


def _row(model: type[_Row], line: str, place: str) -> _Row:
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "row"
        raise InputError(f"{place}: {field}: {first['msg']}") from error
