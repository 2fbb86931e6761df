"""What learners give: attempts with drafts and takes, and submissions."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.tables.base import Base, Key, Moment, TenantId, Word


class AttemptRow(Base):
    """One go of a learner at one question, from opening it to the final submit."""

    __tablename__ = "attempts"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    user_id: Mapped[str | None] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    assignment_id: Mapped[str | None] = mapped_column(
        ForeignKey("assignments.id", ondelete="SET NULL"), index=True
    )
    question_id: Mapped[str] = mapped_column(String(100))
    number: Mapped[int]
    state: Mapped[Word]
    mode: Mapped[Word]
    draw_seed: Mapped[int | None]
    hints_used: Mapped[list[str]]
    started_at: Mapped[Moment]
    submitted_at: Mapped[datetime | None]


class DraftRow(Base):
    """The latest unsent text of an attempt."""

    __tablename__ = "drafts"

    tenant_id: Mapped[TenantId]
    attempt_id: Mapped[str] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True
    )
    text: Mapped[str]
    revision: Mapped[int]
    saved_at: Mapped[Moment]


class TakeRow(Base):
    """One recording of a spoken answer with what was heard and what the learner made of it."""

    __tablename__ = "takes"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    attempt_id: Mapped[str] = mapped_column(
        ForeignKey("attempts.id", ondelete="CASCADE"), index=True
    )
    number: Mapped[int]
    audio_blob: Mapped[str | None] = mapped_column(String(64))
    seconds: Mapped[float]
    transcript: Mapped[dict[str, Any] | None]
    edited_text: Mapped[str | None]
    created_at: Mapped[Moment]


class SubmissionRow(Base):
    """A handed-in answer; ``signals`` narrows a follow-up to what it was asked about."""

    __tablename__ = "submissions"
    __table_args__ = (
        Index("ix_submissions_page", "tenant_id", "created_at", "id"),
        Index("ix_submissions_external", "tenant_id", "external_id"),
    )

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    kind: Mapped[Word]
    question_id: Mapped[str] = mapped_column(String(100))
    file_version: Mapped[str] = mapped_column(String(71))
    rubric_version: Mapped[str] = mapped_column(String(71))
    user_id: Mapped[str | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    attempt_id: Mapped[str | None] = mapped_column(
        ForeignKey("attempts.id", ondelete="SET NULL"), index=True
    )
    assignment_id: Mapped[str | None] = mapped_column(
        ForeignKey("assignments.id", ondelete="SET NULL"), index=True
    )
    parent_id: Mapped[str | None] = mapped_column(String(64), index=True)
    batch_id: Mapped[str | None] = mapped_column(String(64), index=True)
    external_id: Mapped[str | None] = mapped_column(String(200))
    text: Mapped[str | None]
    text_repaired: Mapped[bool]
    transcript: Mapped[dict[str, Any] | None]
    audio_blob: Mapped[str | None] = mapped_column(String(64))
    code_blob: Mapped[str | None] = mapped_column(String(64))
    signals: Mapped[list[str] | None]
    draw_seed: Mapped[int | None]
    labels: Mapped[dict[str, Any]]
    test: Mapped[bool]
    created_at: Mapped[Moment]
    erased_at: Mapped[datetime | None]
