"""Reading the rows of a batch, one at a time, each fault with its line number."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, ValidationError

from grader.domain.answer import AnswerSource
from grader.domain.model import FrozenModel
from grader.errors import InputError

_MOST_LINE_BYTES = 8 * 1024 * 1024


class AnswerRow(FrozenModel):
    """One answer of a batch; keys that a sender adds for itself are let through."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    question_id: str
    answer_id: str
    text: str
    source: AnswerSource = AnswerSource.TYPED
    draw_seed: int | None = None


@dataclass(frozen=True)
class BadRow:
    """A line that is no answer row."""

    line: int
    message: str


def read_rows(path: Path) -> Iterator[tuple[int, AnswerRow] | BadRow]:
    """Yields each row with its line number (from 1), or why the line is none.

    Raises:
        InputError: The file cannot be opened.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(
            f"--answers: {path} cannot be read: {error.strerror}", remedy="give a JSON-lines file"
        ) from error
    with file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield _row(number, line)


def _row(number: int, line: bytes) -> tuple[int, AnswerRow] | BadRow:
    if len(line) > _MOST_LINE_BYTES:
        return BadRow(number, f"the line is over {_MOST_LINE_BYTES} bytes")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadRow(number, f"not a JSON object: {error}")
    try:
        row = AnswerRow.model_validate(_lenient(fields))
        (row.question_id + row.answer_id).encode()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "row"
        return BadRow(number, f"{field}: {first['msg']}")
    except UnicodeEncodeError:
        return BadRow(number, "question_id, answer_id: lone surrogates cannot be stored")
    return number, row


def _lenient(fields: Any) -> Any:
    """Enumerations arrive as text, which strict validation would refuse."""
    if isinstance(fields, dict) and fields.get("source") in tuple(AnswerSource):
        return {**fields, "source": AnswerSource(fields["source"])}
    return fields
