"""Queries that belong to no tenant: tenants themselves, sign-in by key, executors, due work."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table, delete, func, select, update
from sqlalchemy.orm import Session

from grader.store.dialect import database_clock, insert_once
from grader.store.errors import NotFoundError
from grader.store.ids import new_id
from grader.store.records.grading import Job, JobStatus
from grader.store.records.operations import Delivery, DeliveryState, Executor
from grader.store.records.tenancy import ApiKey, Tenant
from grader.store.repositories.base import record_of
from grader.store.tables.accounts import IdempotencyRow
from grader.store.tables.grading import JobRow
from grader.store.tables.operations import DeliveryRow, ExecutorRow, TurnRow, WebhookRow
from grader.store.tables.tenancy import ApiKeyRow, TenantRow

_OPEN = (JobStatus.QUEUED.value, JobStatus.RUNNING.value)


class Deployment:
    """What the service asks on its own behalf, never on that of a client.

    Args:
        session: Of the unit of work.
        now: Time of what is written.
    """

    def __init__(self, session: Session, now: datetime) -> None:
        self._session = session
        self._now = now

    def add_tenant(
        self, name: str, *, plan: str = "standard", settings: Mapping[str, Any] | None = None
    ) -> Tenant:
        """Adds a customer."""
        row = TenantRow(
            id=new_id("ten"),
            name=name,
            plan=plan,
            settings=dict(settings or {}),
            created_at=self._now,
        )
        self._session.add(row)
        self._session.flush()
        return record_of(Tenant, row)

    def tenant(self, tenant_id: str) -> Tenant:
        """The customer of that id.

        Raises:
            NotFoundError: There is none.
        """
        row = self._session.get(TenantRow, tenant_id)
        if row is None:
            raise NotFoundError("tenant", tenant_id)
        return record_of(Tenant, row)

    def tenants(self) -> tuple[Tenant, ...]:
        """All customers, in the order they came."""
        rows = self._session.scalars(select(TenantRow).order_by(TenantRow.created_at))
        return tuple(record_of(Tenant, row) for row in rows)

    def api_key(self, key_id: str) -> ApiKey | None:
        """The key that a client shows, whosever it is; its hash is still to be compared."""
        row = self._session.get(ApiKeyRow, key_id)
        return record_of(ApiKey, row) if row else None

    def has_keys(self) -> bool:
        """Whether any key was ever made here."""
        return self._session.scalar(select(ApiKeyRow.id).limit(1)) is not None

    def owner_of_job(self, job_id: str) -> str | None:
        """The tenant of a job, for the process that runs it."""
        return self._session.scalar(select(JobRow.tenant_id).where(JobRow.id == job_id))

    def open_jobs(self) -> tuple[Job, ...]:
        """All jobs that are not final, the longest waiting first."""
        statement = select(JobRow).where(JobRow.status.in_(_OPEN)).order_by(JobRow.created_at)
        return tuple(record_of(Job, row) for row in self._session.scalars(statement))

    def waiting_deliveries(self) -> tuple[Delivery, ...]:
        """All messages to enabled addresses that another try is to come of, the first due first."""
        statement = (
            select(DeliveryRow)
            .join(WebhookRow, WebhookRow.id == DeliveryRow.webhook_id)
            .where(
                DeliveryRow.state == DeliveryState.WAITING.value, WebhookRow.disabled_at.is_(None)
            )
            .order_by(DeliveryRow.next_at)
        )
        return tuple(record_of(Delivery, row) for row in self._session.scalars(statement))

    def queue_depths(self) -> dict[tuple[str, str], int]:
        """Number of open jobs by queue and status."""
        statement = (
            select(JobRow.queue, JobRow.status, func.count())
            .where(JobRow.status.in_(_OPEN))
            .group_by(JobRow.queue, JobRow.status)
        )
        return {(queue, status): n for queue, status, n in self._session.execute(statement)}

    def oldest_queued(self) -> dict[str, datetime]:
        """Since when the oldest queued job of each queue waits."""
        statement = (
            select(JobRow.queue, func.min(JobRow.created_at))
            .where(JobRow.status == JobStatus.QUEUED.value)
            .group_by(JobRow.queue)
        )
        return {row[0]: row[1] for row in self._session.execute(statement)}

    def forget_expired_keys(self) -> int:
        """Removes idempotency keys whose time is over."""
        statement = delete(IdempotencyRow).where(IdempotencyRow.expires_at <= self._now)
        return self._session.execute(statement).rowcount  # type: ignore[attr-defined,no-any-return]

    def take_turn(self, chore: str, every_s: float) -> bool:
        """Whether the caller is to do a chore now; of all processes one is, once in that time.

        Args:
            chore: Its name.
            every_s: Seconds on the database's clock from one turn to the next.
        """
        clock = database_clock(self._session)
        table = cast(Table, TurnRow.__table__)
        if insert_once(self._session, table, {"chore": chore, "taken": clock}):
            return True
        statement = (
            update(TurnRow)
            .where(TurnRow.chore == chore, TurnRow.taken <= clock - every_s)
            .values(taken=clock)
            .execution_options(synchronize_session=False)
        )
        return self._session.execute(statement).rowcount == 1  # type: ignore[attr-defined,no-any-return]


class Executors:
    """Which processes run jobs, and which of them still live.

    All times are taken from the database's clock, so that the processes' own need not agree.

    Args:
        session: Of the unit of work.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._clock = database_clock(session)

    def register(self, executor_id: str, *, pool: str, host: str, ttl_s: float) -> None:
        """Enters a process before it takes its first job; one of that id starts afresh."""
        self._session.execute(delete(ExecutorRow).where(ExecutorRow.id == executor_id))
        now = self._session.scalar(select(self._clock))
        self._session.add(
            ExecutorRow(id=executor_id, pool=pool, host=host, ttl_s=ttl_s, started=now, seen=now)
        )
        self._session.flush()

    def beat(self, executor_id: str) -> bool:
        """Says that a process lives.

        Returns:
            False where it was declared dead: it must stop at once.
        """
        statement = (
            update(ExecutorRow)
            .where(ExecutorRow.id == executor_id, ExecutorRow.dead.is_(None))
            .values(seen=self._clock)
            .execution_options(synchronize_session=False)
        )
        return self._session.execute(statement).rowcount == 1  # type: ignore[attr-defined,no-any-return]

    def declare_dead(self) -> tuple[str, ...]:
        """Declares those dead that have not been seen for their time; one caller gets each."""
        statement = (
            update(ExecutorRow)
            .where(ExecutorRow.dead.is_(None), ExecutorRow.seen < self._clock - ExecutorRow.ttl_s)
            .values(dead=self._clock)
            .returning(ExecutorRow.id)
            .execution_options(synchronize_session=False)
        )
        return tuple(self._session.scalars(statement))

    def bury(self, executor_id: str) -> None:
        """Declares one dead that has ended in order, so that nobody waits for its time."""
        statement = (
            update(ExecutorRow)
            .where(ExecutorRow.id == executor_id, ExecutorRow.dead.is_(None))
            .values(dead=self._clock)
            .execution_options(synchronize_session=False)
        )
        self._session.execute(statement)

    def living(self) -> tuple[Executor, ...]:
        """Those not declared dead."""
        rows = self._session.scalars(select(ExecutorRow).where(ExecutorRow.dead.is_(None)))
        return tuple(record_of(Executor, row) for row in rows)

    def known(self) -> dict[str, bool]:
        """Whether each known process lives, by its id."""
        rows = self._session.execute(select(ExecutorRow.id, ExecutorRow.dead))
        return {executor_id: dead is None for executor_id, dead in rows}

    def forget_dead(self, before_s: float) -> int:
        """Removes those that have been dead for this many seconds."""
        statement = delete(ExecutorRow).where(ExecutorRow.dead < self._clock - before_s)
        return self._session.execute(statement).rowcount  # type: ignore[attr-defined,no-any-return]
