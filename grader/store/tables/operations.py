"""Webhooks with their deliveries, the processes that run jobs, and stored files."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.tables.base import Base, Key, Moment, TenantId, TenantKey, Word


class WebhookRow(Base):
    """An address that a tenant wants to be told at; ``secrets`` sign, newest first."""

    __tablename__ = "webhooks"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    url: Mapped[str]
    secrets: Mapped[list[str]]
    events: Mapped[list[str]]
    created_at: Mapped[Moment]
    disabled_at: Mapped[datetime | None]
    failing_since: Mapped[datetime | None]
    disabled_cause: Mapped[Word] = mapped_column(server_default="")


class DeliveryRow(Base):
    """One message to one address, with how often it was tried."""

    __tablename__ = "deliveries"
    __table_args__ = (Index("ix_deliveries_due", "state", "next_at"),)

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    webhook_id: Mapped[str] = mapped_column(
        ForeignKey("webhooks.id", ondelete="CASCADE"), index=True
    )
    job_id: Mapped[str | None] = mapped_column(String(64), index=True)
    event: Mapped[Word]
    body: Mapped[dict[str, Any]]
    state: Mapped[Word]
    tries: Mapped[int]
    next_at: Mapped[datetime | None]
    last_status: Mapped[int | None]
    last_error: Mapped[str]
    created_at: Mapped[Moment]
    delivered_at: Mapped[datetime | None]


class ExecutorRow(Base):
    """A process that runs jobs; ``seen`` and ``dead`` are seconds on the database's clock."""

    __tablename__ = "executors"

    id: Mapped[str] = mapped_column(String(128), primary_key=True)
    pool: Mapped[Word]
    host: Mapped[str] = mapped_column(String(255))
    ttl_s: Mapped[float]
    started: Mapped[float]
    seen: Mapped[float]
    dead: Mapped[float | None]


class TurnRow(Base):
    """When a chore of the whole deployment was last taken up, on the database's clock."""

    __tablename__ = "turns"

    chore: Mapped[Word] = mapped_column(primary_key=True)
    taken: Mapped[float]


class BlobRow(Base):
    """A stored file of a tenant, known by the hash of its content."""

    __tablename__ = "blobs"

    tenant_id: Mapped[TenantKey]
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int]
    media_type: Mapped[str] = mapped_column(String(100))
    purpose: Mapped[Word]
    created_at: Mapped[Moment]
