"""Tenants, their people, and the keys by which programs act for them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from grader.store.tables.base import Base, Key, Moment, TenantId, TenantKey, Word


class TenantRow(Base):
    """A customer; nothing of one is ever visible to another."""

    __tablename__ = "tenants"

    id: Mapped[Key]
    name: Mapped[str]
    plan: Mapped[Word]
    settings: Mapped[dict[str, Any]]
    created_at: Mapped[Moment]


class UserRow(Base):
    """A person of a tenant."""

    __tablename__ = "users"
    __table_args__ = (
        UniqueConstraint("tenant_id", "email"),
        UniqueConstraint("tenant_id", "external_id"),
    )

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    name: Mapped[str]
    email: Mapped[str | None] = mapped_column(String(320))
    external_id: Mapped[str | None] = mapped_column(String(200))
    password_hash: Mapped[str | None]
    created_at: Mapped[Moment]
    disabled_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]


class UserRoleRow(Base):
    """A role that a person has in a tenant."""

    __tablename__ = "user_roles"

    tenant_id: Mapped[TenantKey]
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    role: Mapped[str] = mapped_column(String(32), primary_key=True)


class ApiKeyRow(Base):
    """An API key: its public id and the hash of its secret, never the secret."""

    __tablename__ = "api_keys"

    id: Mapped[Key]
    tenant_id: Mapped[TenantId]
    name: Mapped[str]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    test: Mapped[bool]
    secret_hash: Mapped[str] = mapped_column(String(64))
    scopes: Mapped[list[str]]
    created_at: Mapped[Moment]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    successor_id: Mapped[str | None] = mapped_column(String(64))
