"""Tenants, people and keys as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """What a person may be in a tenant."""

    LEARNER = "learner"
    GRADER = "grader"
    INSTRUCTOR = "instructor"
    AUTHOR = "author"
    ADMIN = "admin"


@dataclass(frozen=True)
class Tenant:
    """A customer; ``plan`` names its limits."""

    id: str
    name: str
    plan: str
    settings: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True)
class User:
    """A person; ``roles`` in no order."""

    id: str
    tenant_id: str
    name: str
    email: str | None
    external_id: str | None
    password_hash: str | None
    created_at: datetime
    disabled_at: datetime | None
    erased_at: datetime | None
    roles: frozenset[Role] = frozenset()


@dataclass(frozen=True)
class ApiKey:
    """What is known of an API key; ``test`` keys always get the offline judge."""

    id: str
    tenant_id: str
    name: str
    user_id: str | None
    test: bool
    secret_hash: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    successor_id: str | None

    def is_live(self, now: datetime) -> bool:
        """Whether it opens anything at this time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)
