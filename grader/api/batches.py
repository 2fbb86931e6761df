"""Reading a batch: one JSON document, or one submission a line."""

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from grader.api.problems import ApiError, bad_field, faults_of, invalid
from grader.api.schemas.submissions import MOST_ITEMS, BatchIn, SubmissionIn
from grader.errors import ErrorCode

_ONE: TypeAdapter[Any] = TypeAdapter(SubmissionIn)
_LINES = ("application/x-ndjson", "application/ndjson", "application/jsonl")


def read_batch(body: bytes, media_type: str) -> tuple[Any, ...]:
    """The submissions of a batch.

    Args:
        body: As it was sent.
        media_type: ``application/json`` (``{"items": [...]}`` or a plain list), or NDJSON.

    Raises:
        ApiError: It is neither, or an item cannot be used; every faulty item is listed.
    """
    kind = media_type.partition(";")[0].strip().lower()
    if kind in _LINES:
        return _validated([_parsed(line, n) for n, line in _lines(body)])
    if kind != "application/json":
        raise ApiError(
            ErrorCode.MEDIA_TYPE_UNSUPPORTED,
            "a batch is JSON or NDJSON",
            remedy="send application/json or application/x-ndjson",
        )
    content = _parsed(body, None)
    if isinstance(content, list):
        return _validated(content)
    try:
        return BatchIn.model_validate(content).items
    except ValidationError as error:
        raise invalid(faults_of(error.errors(include_url=False))) from error


def _validated(items: list[Any]) -> tuple[Any, ...]:
    if not 1 <= len(items) <= MOST_ITEMS:
        raise bad_field("/items", f"has {len(items)} items", remedy=f"send 1 to {MOST_ITEMS}")
    found, faults = [], []
    for number, item in enumerate(items):
        try:
            found.append(_ONE.validate_python(item))
        except ValidationError as error:
            faults += faults_of(error.errors(include_url=False), prefix=f"/items/{number}")
    if faults:
        raise invalid(faults[:20])
    return tuple(found)


def _lines(body: bytes) -> list[tuple[int, bytes]]:
    lines = [line for line in body.splitlines() if line.strip()]
    return list(enumerate(lines[: MOST_ITEMS + 1]))


def _parsed(text: bytes, number: int | None) -> Any:
    where = "the body" if number is None else f"line {number + 1}"
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ApiError(
            ErrorCode.BODY_MALFORMED, f"{where} is no JSON", remedy="mend it and send it again"
        ) from error
