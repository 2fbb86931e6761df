"""Cohorts, what is set to them, and the rubrics by which it is graded."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.tables.base import Base, Key, Moment, TenantId, TenantKey, Word


class CohortRow(Base):
    """A group of learners that works through the same things."""

    __tablename__ = "cohorts"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    name: Mapped[str]
    invitation_hash: Mapped[str | None] = mapped_column(String(64), unique=True)
    invitation_expires_at: Mapped[datetime | None]
    created_at: Mapped[Moment]
    archived_at: Mapped[datetime | None]


class MemberRow(Base):
    """A person in a cohort; ``external_id`` is the id that the school's own system uses."""

    __tablename__ = "cohort_members"
    __table_args__ = (UniqueConstraint("cohort_id", "external_id"),)

    tenant_id: Mapped[TenantId]
    cohort_id: Mapped[str] = mapped_column(
        ForeignKey("cohorts.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    external_id: Mapped[str | None] = mapped_column(String(200))
    joined_at: Mapped[Moment]


class AssignmentRow(Base):
    """Questions set to a cohort, with the rules for handing in and for what is shown."""

    __tablename__ = "assignments"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    cohort_id: Mapped[str] = mapped_column(ForeignKey("cohorts.id", ondelete="CASCADE"), index=True)
    title: Mapped[str]
    kind: Mapped[Word]
    question_ids: Mapped[list[str]]
    opens_at: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    late_rule: Mapped[dict[str, Any]]
    attempts_allowed: Mapped[int | None]
    feedback: Mapped[Word]
    release_at: Mapped[datetime | None]
    created_at: Mapped[Moment]


class RubricVersionRow(Base):
    """The content of a question as it was graded by; never changed, never removed."""

    __tablename__ = "rubric_versions"
    __table_args__ = (Index("ix_rubric_versions_question", "tenant_id", "question_id"),)

    tenant_id: Mapped[TenantKey]
    file_version: Mapped[str] = mapped_column(String(71), primary_key=True)
    version: Mapped[str] = mapped_column(String(71), index=True)
    question_id: Mapped[str] = mapped_column(String(100))
    content: Mapped[dict[str, Any]]
    author_id: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[Moment]


class RubricHeadRow(Base):
    """The version of a tenant's own question that counts now."""

    __tablename__ = "rubric_heads"

    tenant_id: Mapped[TenantKey]
    question_id: Mapped[str] = mapped_column(String(100), primary_key=True)
    file_version: Mapped[str] = mapped_column(String(71))
    changed_at: Mapped[Moment]
