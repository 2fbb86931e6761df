"""Attempts, drafts, takes and submissions as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class SubmissionKind(StrEnum):
    """How the answer came in."""

    TEXT = "text"
    SPEECH = "speech"
    CODE = "code"


class AttemptState(StrEnum):
    """How far an attempt has come."""

    OPEN = "open"
    SUBMITTED = "submitted"
    ABANDONED = "abandoned"


@dataclass(frozen=True)
class Attempt:
    """One go of a learner at one question."""

    id: str
    tenant_id: str
    user_id: str | None
    assignment_id: str | None
    question_id: str
    number: int
    state: AttemptState
    mode: str
    draw_seed: int | None
    hints_used: tuple[str, ...]
    started_at: datetime
    submitted_at: datetime | None


@dataclass(frozen=True)
class Draft:
    """The latest unsent text of an attempt; ``revision`` counts its saves."""

    tenant_id: str
    attempt_id: str
    text: str
    revision: int
    saved_at: datetime


@dataclass(frozen=True)
class Take:
    """One recording of a spoken answer, with what was heard."""

    id: str
    tenant_id: str
    attempt_id: str
    number: int
    audio_blob: str | None
    seconds: float
    transcript: Mapping[str, Any] | None
    edited_text: str | None
    created_at: datetime


@dataclass(frozen=True)
class NewSubmission:
    """What a submission is made of.

    Attributes:
        question_id: Of a rubric version of the tenant.
        file_version: Which one.
        text: The typed answer; None for speech and code.
        audio_blob: SHA-256 of the recording.
        code_blob: SHA-256 of the source.
        signals: Ids of the signals to judge; None for all.
        parent_id: The submission that this one follows up on.
        labels: What the client wants to find again.
    """

    kind: SubmissionKind
    question_id: str
    file_version: str
    rubric_version: str
    text: str | None = None
    text_repaired: bool = False
    transcript: Mapping[str, Any] | None = None
    audio_blob: str | None = None
    code_blob: str | None = None
    signals: tuple[str, ...] | None = None
    draw_seed: int | None = None
    user_id: str | None = None
    attempt_id: str | None = None
    assignment_id: str | None = None
    parent_id: str | None = None
    batch_id: str | None = None
    external_id: str | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    test: bool = False


@dataclass(frozen=True)
class Submission(NewSubmission):
    """A submission as it is stored; ``erased_at`` is set where its texts are gone."""

    id: str = ""
    tenant_id: str = ""
    created_at: datetime = datetime.min
    erased_at: datetime | None = None
