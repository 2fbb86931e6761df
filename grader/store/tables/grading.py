"""Jobs with their events, and what they lead to: grades, verdicts, overrides, contests."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.tables.base import Base, Key, Moment, TenantId, Word


class JobRow(Base):
    """One grading of one submission: the mirror of a workflow that lists and clients read.

    ``epoch`` counts the executions that claimed it; only the latest may record.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_page", "tenant_id", "created_at", "id"),
        Index("ix_jobs_open", "status", "queue"),
    )

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    submission_id: Mapped[str] = mapped_column(
        ForeignKey("submissions.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[Word]
    queue: Mapped[Word]
    priority: Mapped[int]
    judge: Mapped[Word]
    file_version: Mapped[str] = mapped_column(String(71))
    dry_run: Mapped[bool]
    status: Mapped[Word]
    stage: Mapped[Word]
    cause: Mapped[str]
    executor_id: Mapped[str | None] = mapped_column(String(128))
    epoch: Mapped[int]
    event_seq: Mapped[int]
    created_at: Mapped[Moment]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    cancel_requested_at: Mapped[datetime | None]


class JobEventRow(Base):
    """Something that happened to a job, numbered without gaps from 1."""

    __tablename__ = "job_events"

    tenant_id: Mapped[TenantId]
    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    seq: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[Word]
    data: Mapped[dict[str, Any]]
    at: Mapped[Moment]


class GradeRow(Base):
    """The grade that one job gave; at most one a job."""

    __tablename__ = "grades"
    __table_args__ = (Index("ix_grades_current", "submission_id", "current"),)

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    tenant_id: Mapped[TenantId]
    submission_id: Mapped[str] = mapped_column(ForeignKey("submissions.id", ondelete="CASCADE"))
    question_id: Mapped[str] = mapped_column(String(100))
    rubric_version: Mapped[str] = mapped_column(String(71))
    score: Mapped[float]
    low: Mapped[float]
    high: Mapped[float]
    provisional: Mapped[bool]
    flags: Mapped[list[str]]
    draw_seed: Mapped[int | None]
    code_result: Mapped[dict[str, Any] | None]
    current: Mapped[bool]
    created_at: Mapped[Moment]


class VerdictRow(Base):
    """The finding on one signal, as part of one grade."""

    __tablename__ = "verdicts"

    tenant_id: Mapped[TenantId]
    job_id: Mapped[str] = mapped_column(
        ForeignKey("grades.job_id", ondelete="CASCADE"), primary_key=True
    )
    signal_id: Mapped[str] = mapped_column(String(100), primary_key=True)
    position: Mapped[int]
    outcome: Mapped[Word]
    confidence: Mapped[float]
    evidence: Mapped[list[dict[str, Any]]]
    reasons: Mapped[list[str]]
    judge: Mapped[str]
    comment: Mapped[str]


class OverrideRow(Base):
    """A person's verdict on a signal of a submission; it wins, and erases nothing."""

    __tablename__ = "overrides"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    submission_id: Mapped[str] = mapped_column(
        ForeignKey("submissions.id", ondelete="CASCADE"), index=True
    )
    signal_id: Mapped[str] = mapped_column(String(100))
    outcome: Mapped[Word]
    reason: Mapped[str]
    author_id: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[Moment]
    withdrawn_at: Mapped[datetime | None]


class ContestRow(Base):
    """A learner's objection to a verdict, and what came of it."""

    __tablename__ = "contests"
    __table_args__ = (UniqueConstraint("submission_id", "signal_id"),)

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    submission_id: Mapped[str] = mapped_column(ForeignKey("submissions.id", ondelete="CASCADE"))
    signal_id: Mapped[str] = mapped_column(String(100))
    text: Mapped[str]
    state: Mapped[Word]
    reply: Mapped[str]
    created_at: Mapped[Moment]
    resolved_at: Mapped[datetime | None]
