"""Submissions in requests and replies."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Discriminator, Field, StringConstraints, Tag

from grader.api.schemas.base import (
    AnswerText,
    Identifier,
    Input,
    Label,
    LabelName,
    Line,
    Output,
    examples,
)
from grader.api.schemas.grades import GRADE, GradeOut
from grader.store.records.grading import JobStatus
from grader.store.records.work import SubmissionKind

MOST_ITEMS = 1000
MOST_CODE = 1 << 19

_ANSWER = {
    "question_id": "attention-sinks",
    "text": "Softmax weights sum to 1, so the mass has to go somewhere.",
    "external_id": "student-17",
}
_INLINE = {
    "rubric": {
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
    },
    "text": "It keeps the cache in fixed-size blocks.",
}
_CODE = {"exercise_id": "kv_cache", "code": "class KVCache:\n    ...\n"}


class _Common(Input):
    judge: Identifier | None = Field(
        default=None, description="Name of a judge; the deployment's own choice where absent."
    )
    live: bool = Field(default=False, description="Whether somebody waits for the grade.")
    external_id: Line | None = Field(default=None, description="The client's own name for it.")
    labels: dict[LabelName, Label] = Field(
        default={}, max_length=16, description="What the client wants to find again."
    )
    user_id: Identifier | None = Field(
        default=None, description="The learner; needs grades:read unless it is oneself."
    )
    assignment_id: Identifier | None = None
    parent_id: Identifier | None = Field(
        default=None, description="The submission that this one follows up on."
    )


class AnswerIn(_Common):
    """A typed answer to a question of the bank."""

    model_config = examples(_ANSWER)

    question_id: Identifier
    text: AnswerText


class InlineAnswerIn(_Common):
    """A typed answer with the question it answers; needs rubrics:write."""

    model_config = examples(_INLINE)

    rubric: dict[str, Any] = Field(description="A question in the rubric format, as JSON.")
    text: AnswerText


class CodeIn(_Common):
    """A submission to a coding exercise."""

    model_config = examples(_CODE)

    exercise_id: Identifier
    code: Annotated[str, StringConstraints(min_length=1, max_length=MOST_CODE)]


class SpokenIn(_Common):
    """A spoken answer; its recording is sent beside it."""

    question_id: Identifier


def _variant(given: Any) -> str:
    fields = given if isinstance(given, dict) else getattr(given, "__dict__", {})
    if "exercise_id" in fields or "code" in fields:
        return "variant:code"
    return "variant:inline" if "rubric" in fields else "variant:answer"


SubmissionIn = Annotated[
    Annotated[AnswerIn, Tag("variant:answer")]
    | Annotated[InlineAnswerIn, Tag("variant:inline")]
    | Annotated[CodeIn, Tag("variant:code")],
    Discriminator(_variant),
]


class BatchIn(Input):
    """Many submissions, taken in all or not at all."""

    model_config = examples({"items": [_ANSWER, _CODE]})

    items: tuple[SubmissionIn, ...] = Field(min_length=1, max_length=MOST_ITEMS)


_SUBMISSION = {
    "id": "sub_06f3q8z1",
    "status": "done",
    "kind": "text",
    "question_id": "attention-sinks",
    "rubric_version": "sha256:5e2b",
    "file_version": "sha256:77aa",
    "text": _ANSWER["text"],
    "text_repaired": False,
    "external_id": "student-17",
    "labels": {},
    "user_id": None,
    "assignment_id": None,
    "attempt_id": None,
    "batch_id": None,
    "parent_id": None,
    "test": False,
    "cause": "",
    "stage": "",
    "grade": GRADE,
    "grade_from": None,
    "created_at": "2026-11-30T18:00:00Z",
}


class SubmissionOut(Output):
    """A submission, how far its grading has come, and its grade."""

    model_config = examples(_SUBMISSION)

    id: str
    status: JobStatus
    kind: SubmissionKind
    question_id: str
    rubric_version: str
    file_version: str
    text: str | None = None
    text_repaired: bool = False
    external_id: str | None = None
    labels: dict[str, str] = Field(default={})
    user_id: str | None = None
    assignment_id: str | None = None
    attempt_id: str | None = None
    batch_id: str | None = None
    parent_id: str | None = None
    test: bool = False
    cause: str = Field(default="", description="Why a job failed: a fault of ours.")
    stage: str = ""
    grade: GradeOut | None = None
    grade_from: datetime | None = Field(
        default=None, description="When the grade is released, where it is held back."
    )
    created_at: datetime


class BatchItemOut(Output):
    """One submission of a batch, in the order they were sent."""

    index: int
    id: str
    status: JobStatus
    external_id: str | None = None


class BatchOut(Output):
    """A batch that was taken in."""

    model_config = examples(
        {
            "id": "bat_06f3q8z1",
            "items": [{"index": 0, "id": "sub_06f3q8z1", "status": "queued"}],
        }
    )

    id: str
    items: tuple[BatchItemOut, ...]
