"""A bank as CSV: one row a signal, the question's own cells on its first row.

Lists are written one entry a line inside a cell; what has more structure is written as JSON. A
cell that a spreadsheet would take for a formula is led by an apostrophe, which reading removes.
"""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from grader.domain.question import Question, Signal
from grader.errors import RubricError

_QUESTION_TEXTS = (
    *("id", "topic", "title", "kind", "difficulty", "minutes", "prompt", "notes"),
    *("model_answer", "canary", "exercise", "pad"),
)
_QUESTION_JSON = (
    *("schema", "source", "references", "relations", "glossary", "samples", "hints"),
    *("follow_ups", "parameters", "derived", "answer"),
)
_SIGNAL_TEXTS = ("id", "statement", "weight", "kind", "probe")
_SIGNAL_LISTS = ("accept", "reject")
_SIGNAL_JSON = ("terms", "numbers")
_NUMBERS = frozenset({"difficulty", "minutes", "weight"})
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")

COLUMNS = (
    *_QUESTION_TEXTS,
    *_QUESTION_JSON,
    *(f"signal_{name}" for name in (*_SIGNAL_TEXTS, *_SIGNAL_LISTS, *_SIGNAL_JSON)),
)


def to_csv(questions: Iterable[Question]) -> str:
    """The questions as CSV with a header row."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for question in questions:
        own = _question_cells(question)
        for signal in question.signals:
            writer.writerow({k: _guarded(v) for k, v in (own | _signal_cells(signal)).items()})
            own = {}
    return out.getvalue()


def from_csv(text: str) -> list[Question]:
    """Reads questions back.

    Raises:
        RubricError: Naming the row and the column that cannot be used.
    """
    rows = csv.DictReader(io.StringIO(text))
    if unknown := sorted(set(rows.fieldnames or ()) - set(COLUMNS)):
        raise RubricError(f"unknown column {unknown[0]!r}", remedy=f"use {', '.join(COLUMNS)}")
    found: list[tuple[int, dict[str, Any]]] = []
    for number, row in enumerate(rows, start=2):
        cells = {k: _plain(v) for k, v in row.items() if k and v}
        if "id" in cells:
            found.append((number, {**_question_fields(number, cells), "signals": []}))
        if not found:
            raise RubricError(f"row {number}: id is missing", remedy="start each question with one")
        found[-1][1]["signals"].append(_signal_fields(number, cells))
    return [_question(number, fields) for number, fields in found]


def _question(number: int, fields: dict[str, Any]) -> Question:
    try:
        return Question.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "question"
        raise RubricError(f"question of row {number}: {field}: {first['msg']}") from error


def _question_cells(question: Question) -> dict[str, str]:
    fields = question.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    texts = {n: str(fields[n]) for n in _QUESTION_TEXTS if n in fields}
    return texts | {n: _json(fields[n]) for n in _QUESTION_JSON if n in fields}


def _signal_cells(signal: Signal) -> dict[str, str]:
    fields = signal.model_dump(mode="json", exclude_defaults=True)
    cells = {n: str(fields[n]) for n in _SIGNAL_TEXTS if n in fields}
    cells |= {n: "\n".join(map(_one_line, fields[n])) for n in _SIGNAL_LISTS if n in fields}
    cells |= {n: _json(fields[n]) for n in _SIGNAL_JSON if n in fields}
    return {f"signal_{name}": value for name, value in cells.items()}


def _question_fields(number: int, cells: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {n: _number(n, cells[n]) for n in _QUESTION_TEXTS if n in cells}
    return fields | {n: _parsed(number, n, cells[n]) for n in _QUESTION_JSON if n in cells}


def _signal_fields(number: int, cells: dict[str, str]) -> dict[str, Any]:
    own = {k.removeprefix("signal_"): v for k, v in cells.items() if k.startswith("signal_")}
    fields: dict[str, Any] = {n: _number(n, own[n]) for n in _SIGNAL_TEXTS if n in own}
    fields |= {n: own[n].split("\n") for n in _SIGNAL_LISTS if n in own}
    return fields | {n: _parsed(number, f"signal_{n}", own[n]) for n in _SIGNAL_JSON if n in own}


def _number(name: str, text: str) -> str | int:
    return int(text) if name in _NUMBERS and text.isdecimal() else text


def _parsed(number: int, column: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RubricError(f"row {number}: {column} is not JSON: {error}") from error


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _guarded(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _plain(text: str) -> str:
    return text[1:] if text.startswith("'") else text
