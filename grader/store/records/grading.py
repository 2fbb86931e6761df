"""Jobs, events, grades, overrides and contests as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from grader.domain.grade import Grade


class JobKind(StrEnum):
    """Why a submission is graded."""

    GRADE = "grade"
    REGRADE = "regrade"


class JobStatus(StrEnum):
    """How far a job has come; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen."""
        return self in (JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELLED)


@dataclass(frozen=True)
class Job:
    """One grading of one submission.

    Attributes:
        id: Of the workflow, too; that of the submission where it is its first job.
        stage: What the job is doing, e.g. ``judging``; empty before and after.
        cause: Error code of a failed job.
        epoch: How often a process has taken it up.
    """

    id: str
    tenant_id: str
    submission_id: str
    kind: JobKind
    queue: str
    priority: int
    judge: str
    file_version: str
    dry_run: bool
    status: JobStatus
    stage: str
    cause: str
    executor_id: str | None
    epoch: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None


@dataclass(frozen=True)
class JobEvent:
    """Something that happened to a job; ``seq`` has no gaps."""

    job_id: str
    seq: int
    kind: str
    data: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True)
class Claim:
    """The right to record the outcome of a job, until somebody else claims it."""

    job_id: str
    tenant_id: str
    executor_id: str
    epoch: int


@dataclass(frozen=True)
class StoredGrade:
    """A grade with the job that gave it; ``current`` is the one that counts."""

    job_id: str
    tenant_id: str
    submission_id: str
    grade: Grade
    code_result: Mapping[str, Any] | None
    current: bool
    created_at: datetime


@dataclass(frozen=True)
class Override:
    """A person's verdict on a signal."""

    id: str
    tenant_id: str
    submission_id: str
    signal_id: str
    outcome: str
    reason: str
    author_id: str
    created_at: datetime
    withdrawn_at: datetime | None


@dataclass(frozen=True)
class Contest:
    """A learner's objection to a verdict."""

    id: str
    tenant_id: str
    submission_id: str
    signal_id: str
    text: str
    state: str
    reply: str
    created_at: datetime
    resolved_at: datetime | None
