"""Cohorts, assignments and rubric versions as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Feedback(StrEnum):
    """What a learner is shown of a grade, and when."""

    FULL = "full"
    SCORE = "score"
    AFTER_RELEASE = "after_release"


class AssignmentKind(StrEnum):
    """A fixed set of questions, or a loop of interviews."""

    QUESTIONS = "questions"
    LOOP = "loop"


@dataclass(frozen=True)
class Cohort:
    """A group of learners."""

    id: str
    tenant_id: str
    name: str
    invitation_hash: str | None
    invitation_expires_at: datetime | None
    created_at: datetime
    archived_at: datetime | None


@dataclass(frozen=True)
class Member:
    """A person in a cohort."""

    tenant_id: str
    cohort_id: str
    user_id: str
    external_id: str | None
    joined_at: datetime


@dataclass(frozen=True)
class Assignment:
    """Questions set to a cohort; ``late_rule`` is ``{}``, or what lateness costs."""

    id: str
    tenant_id: str
    cohort_id: str
    title: str
    kind: AssignmentKind
    question_ids: tuple[str, ...]
    opens_at: datetime | None
    due_at: datetime | None
    late_rule: Mapping[str, Any]
    attempts_allowed: int | None
    feedback: Feedback
    release_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class RubricVersion:
    """A question as it was; ``file_version`` hashes all of it, ``version`` what a judge sees."""

    tenant_id: str
    file_version: str
    version: str
    question_id: str
    content: Mapping[str, Any]
    author_id: str | None
    created_at: datetime
