"""Queries on usage, quotas and idempotency keys."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Select, Table, delete, func, select

from grader.judges.ledger import CallState
from grader.store.dialect import database_clock, insert_once
from grader.store.ids import new_id
from grader.store.records.operations import CallTotals, IdempotentReply, QuotaState, Usage
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.tables.accounts import CallTableRow, IdempotencyRow, QuotaRow, UsageRow


class UsageLedger(Repository):
    """What the tenant is billed for."""

    def bill(
        self, job_id: str, kind: str, quantity: int, *, nano_usd: int = 0, test: bool = False
    ) -> bool:
        """Writes one line; a line of that job and kind is written once, whoever repeats it."""
        values = {
            "id": new_id("use"),
            "tenant_id": self._tenant_id,
            "job_id": job_id,
            "kind": kind,
            "quantity": quantity,
            "nano_usd": nano_usd,
            "test": test,
            "at": self._now,
        }
        return insert_once(self._session, cast(Table, UsageRow.__table__), values)

    def calls_of(self, job_id: str) -> CallTotals:
        """What the model calls of a job have cost by the ledger."""
        statement = select(
            func.count(),
            func.sum(CallTableRow.prompt_tokens + CallTableRow.output_tokens),
            func.sum(CallTableRow.cost_nano_usd),
        ).where(
            CallTableRow.tenant == self._tenant_id,
            CallTableRow.run == job_id,
            CallTableRow.state == CallState.DONE.value,
        )
        calls, tokens, nano_usd = self._session.execute(statement).one()
        return CallTotals(calls=int(calls), tokens=int(tokens or 0), nano_usd=int(nano_usd or 0))

    def totals(self, start: datetime, end: datetime) -> dict[str, tuple[int, int]]:
        """Quantity and nano-dollars by kind in ``[start, end)``, test keys left out."""
        statement = (
            select(UsageRow.kind, func.sum(UsageRow.quantity), func.sum(UsageRow.nano_usd))
            .where(
                UsageRow.tenant_id == self._tenant_id,
                UsageRow.at >= start,
                UsageRow.at < end,
                UsageRow.test.is_(False),
            )
            .group_by(UsageRow.kind)
        )
        return {kind: (int(n), int(usd)) for kind, n, usd in self._session.execute(statement)}

    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[Usage]:
        """Lines, latest first."""
        statement = select(UsageRow).where(UsageRow.tenant_id == self._tenant_id)
        return self._page(
            statement,
            UsageRow.at,
            UsageRow.id,
            lambda row: record_of(Usage, row),
            cursor=cursor,
            limit=limit,
        )


class Quotas(Repository):
    """Token buckets that all processes share."""

    def define(self, name: str, *, capacity: float, per_second: float) -> None:
        """Sets a bucket's size and rate; a new one is full."""
        row = self._get(name)
        if row is None:
            row = QuotaRow(
                tenant_id=self._tenant_id, name=name, level=capacity, filled_at=self._clock()
            )
        row.capacity, row.per_second = capacity, per_second
        row.level = min(row.level, capacity)
        self._add(row)

    def take(self, name: str, units: float = 1) -> QuotaState:
        """Takes units out where they are there; an undefined bucket is endless."""
        row = self._get(name)
        if row is None:
            return QuotaState(granted=True, capacity=0, remaining=0, wait_s=0)
        now = self._clock()
        passed = max(now - row.filled_at, 0)
        row.level = min(row.capacity, row.level + passed * row.per_second)
        row.filled_at = now
        granted = row.level >= units
        if granted:
            row.level -= units
        missing = 0.0 if granted else units - row.level
        return QuotaState(
            granted=granted,
            capacity=row.capacity,
            remaining=int(row.level),
            wait_s=missing / row.per_second if row.per_second else float("inf") * bool(missing),
        )

    def give_back(self, name: str, units: float = 1) -> None:
        """Puts units back that were taken for nothing."""
        row = self._get(name)
        if row is not None:
            row.level = min(row.capacity, row.level + units)

    def _get(self, name: str) -> QuotaRow | None:
        statement = select(QuotaRow).where(
            QuotaRow.tenant_id == self._tenant_id, QuotaRow.name == name
        )
        return self._session.scalars(statement.with_for_update()).one_or_none()

    def _clock(self) -> float:
        return float(self._session.scalar(select(database_clock(self._session))) or 0)


class IdempotencyKeys(Repository):
    """Replies to requests that a client may repeat."""

    def begin(
        self, route: str, key: str, body_hash: str, keep: timedelta = timedelta(hours=24)
    ) -> IdempotentReply | None:
        """Reserves a key for a request.

        Returns:
            None where the request is new; else what is kept for the key. The caller compares
            ``body_hash`` and answers again, refuses, or says that the first is still going on.
        """
        self._session.execute(
            delete(IdempotencyRow).where(
                IdempotencyRow.tenant_id == self._tenant_id,
                IdempotencyRow.route == route,
                IdempotencyRow.key == key,
                IdempotencyRow.expires_at <= self._now,
            )
        )
        values = {
            "tenant_id": self._tenant_id,
            "route": route,
            "key": key,
            "body_hash": body_hash,
            "created_at": self._now,
            "expires_at": self._now + keep,
        }
        if insert_once(self._session, cast(Table, IdempotencyRow.__table__), values):
            return None
        row = self._session.scalars(self._of(route, key)).one()
        return record_of(IdempotentReply, row)

    def finish(self, route: str, key: str, status: int, response: Mapping[str, Any]) -> None:
        """Keeps the reply, in the unit of work that did what was asked for.

        Raises:
            NotFoundError: The key was not reserved.
        """
        row = self._row(self._of(route, key), "idempotency key", key)
        row.status, row.response = status, dict(response)

    def forget(self, route: str, key: str) -> None:
        """Frees a key whose request failed without doing anything."""
        self._session.execute(
            delete(IdempotencyRow).where(
                IdempotencyRow.tenant_id == self._tenant_id,
                IdempotencyRow.route == route,
                IdempotencyRow.key == key,
            )
        )

    def _of(self, route: str, key: str) -> Select[IdempotencyRow]:
        return select(IdempotencyRow).where(
            IdempotencyRow.tenant_id == self._tenant_id,
            IdempotencyRow.route == route,
            IdempotencyRow.key == key,
        )
