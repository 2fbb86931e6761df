"""Usage, quotas, idempotency, webhooks, executors and blobs as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


@dataclass(frozen=True)
class Usage:
    """One line of a tenant's bill."""

    id: str
    tenant_id: str
    job_id: str
    kind: str
    quantity: int
    nano_usd: int
    test: bool
    at: datetime


@dataclass(frozen=True)
class CallTotals:
    """Finished model calls of one job, with their tokens and cost."""

    calls: int
    tokens: int
    nano_usd: int


@dataclass(frozen=True)
class QuotaState:
    """A token bucket after a request; what the rate-limit headers say.

    Attributes:
        granted: Whether the request may go on.
        remaining: Whole units left.
        wait_s: Seconds until the units asked for are there; 0 where granted.
    """

    granted: bool
    capacity: float
    remaining: int
    wait_s: float


@dataclass(frozen=True)
class IdempotentReply:
    """The reply kept for a key; without a status the first request is still going on."""

    body_hash: str
    status: int | None
    response: Mapping[str, Any] | None


class DisabledCause(StrEnum):
    """Why an address is told no more; empty while it is."""

    NONE = ""
    ASKED = "asked"
    FAILING = "failing"


@dataclass(frozen=True)
class Webhook:
    """An address that is told of events."""

    id: str
    tenant_id: str
    url: str
    secrets: tuple[str, ...]
    events: tuple[str, ...]
    created_at: datetime
    disabled_at: datetime | None
    failing_since: datetime | None
    disabled_cause: DisabledCause = DisabledCause.NONE


class DeliveryState(StrEnum):
    """How far a message has come."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


@dataclass(frozen=True)
class Delivery:
    """One message to one address."""

    id: str
    tenant_id: str
    webhook_id: str
    job_id: str | None
    event: str
    body: Mapping[str, Any]
    state: DeliveryState
    tries: int
    next_at: datetime | None
    last_status: int | None
    last_error: str
    created_at: datetime
    delivered_at: datetime | None


@dataclass(frozen=True)
class Executor:
    """A process that runs jobs; times are seconds on the database's clock."""

    id: str
    pool: str
    host: str
    ttl_s: float
    started: float
    seen: float
    dead: float | None


@dataclass(frozen=True)
class Blob:
    """A stored file."""

    tenant_id: str
    sha256: str
    size: int
    media_type: str
    purpose: str
    created_at: datetime
