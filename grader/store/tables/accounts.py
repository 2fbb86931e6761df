"""Paid calls, budgets, usage, quotas, and the keys that make requests safe to repeat."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.tables.base import Base, Key, Moment, TenantId, TenantKey, Word


class CallTableRow(Base):
    """A call to a language model, keyed by everything that decides its reply."""

    __tablename__ = "calls"
    __table_args__ = (Index("ix_calls_run", "tenant", "run"),)

    key: Mapped[Key]
    tenant: Mapped[str] = mapped_column(String(64))
    run: Mapped[str] = mapped_column(String(128))
    model: Mapped[str]
    sample: Mapped[int]
    state: Mapped[Word]
    outcome: Mapped[Word]
    mode: Mapped[Word]
    attempts: Mapped[int]
    prompt_tokens: Mapped[int]
    cached_tokens: Mapped[int]
    output_tokens: Mapped[int]
    cost_nano_usd: Mapped[int | None]
    cost_source: Mapped[Word]
    charged_nano_usd: Mapped[int]
    charged_tokens: Mapped[int]
    request: Mapped[str]
    reply: Mapped[str]
    started_at: Mapped[Moment]
    finished_at: Mapped[datetime | None]


class SpendRow(Base):
    """What one scope of a budget has spent and still holds."""

    __tablename__ = "spend"

    scope: Mapped[str] = mapped_column(String(200), primary_key=True)
    nano_usd: Mapped[int]
    tokens: Mapped[int]
    held_nano_usd: Mapped[int]
    held_tokens: Mapped[int]


class UsageRow(Base):
    """What a tenant is billed for; one row a job and kind, written once."""

    __tablename__ = "usage"
    __table_args__ = (
        UniqueConstraint("tenant_id", "job_id", "kind"),
        Index("ix_usage_month", "tenant_id", "at"),
    )

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    job_id: Mapped[str] = mapped_column(String(64))
    kind: Mapped[Word]
    quantity: Mapped[int]
    nano_usd: Mapped[int]
    test: Mapped[bool]
    at: Mapped[Moment]


class QuotaRow(Base):
    """A token bucket of a tenant, shared by all processes."""

    __tablename__ = "quotas"

    tenant_id: Mapped[TenantKey]
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    capacity: Mapped[float]
    per_second: Mapped[float]
    level: Mapped[float]
    filled_at: Mapped[float]


class IdempotencyRow(Base):
    """The answer once given to a request, so that repeating the request does nothing more."""

    __tablename__ = "idempotency_keys"

    tenant_id: Mapped[TenantKey]
    route: Mapped[str] = mapped_column(String(100), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    body_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[int | None]
    response: Mapped[dict[str, Any] | None]
    created_at: Mapped[Moment]
    expires_at: Mapped[datetime] = mapped_column(index=True)
