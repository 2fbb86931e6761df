"""Rubrics in replies: for authors and those above them."""

from datetime import datetime
from typing import Any

from grader.api.schemas.base import Output, examples

_CONTENT = {
    "schema": 1,
    "id": "paging",
    "topic": "memory",
    "prompt": "Why is a key-value cache kept in pages?",
    "signals": [
        {
            "id": "blocks",
            "statement": "The cache is split into fixed-size blocks.",
            "weight": 1,
            "kind": "positive",
        }
    ],
}
_VERSION = {
    "question_id": "paging",
    "file_version": "sha256:77aa",
    "rubric_version": "sha256:5e2b",
    "author_id": "usr_06f3q8z1",
    "created_at": "2026-11-30T18:00:00Z",
}


class RubricOut(Output):
    """A whole question; ``file_version`` is its ETag, too."""

    model_config = examples(
        {
            "question_id": "paging",
            "file_version": "sha256:77aa",
            "rubric_version": "sha256:5e2b",
            "own": True,
            "content": _CONTENT,
        }
    )

    question_id: str
    file_version: str
    rubric_version: str
    own: bool
    content: dict[str, Any]


class RubricVersionOut(Output):
    """One version of a question that something was graded by, or that was written."""

    model_config = examples(_VERSION)

    question_id: str
    file_version: str
    rubric_version: str
    author_id: str | None = None
    created_at: datetime


RUBRIC_EXAMPLE = _CONTENT
