"""The judges' call ledger in the service's own database.

A reply that was paid for is not given up because the database is away for a moment: each step is
tried until it is done, and one that was tried before looks whether it was done then.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy import Table, select, update
from sqlalchemy.orm import Session

from grader.judges.ledger import (
    Amount,
    BudgetScope,
    CallRow,
    CallState,
    CostSource,
    ScopeSpend,
    Usage,
)
from grader.store.database import Database
from grader.store.dialect import insert_once
from grader.store.patience import patiently, patiently_told
from grader.store.tables.accounts import CallTableRow, SpendRow

T = TypeVar("T")
_PLAIN = (
    "key",
    "tenant",
    "run",
    "model",
    "sample",
    "outcome",
    "mode",
    "attempts",
    "cost_nano_usd",
    "request",
    "reply",
    "started_at",
    "finished_at",
)


class SqlLedger:
    """A ``CallLedger`` on the service's database; the steps run in threads.

    Args:
        database: Shared by all processes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, key: str) -> CallRow | None:
        """The row of a finished call, or None."""

        def step(session: Session) -> CallRow | None:
            row = session.get(CallTableRow, key)
            usable = row is not None and row.state == CallState.DONE and row.reply != ""
            return _call(row) if row is not None and usable else None

        return await self._read(step)

    async def reserve(
        self, row: CallRow, scopes: Sequence[BudgetScope], worst: Amount
    ) -> BudgetScope | None:
        """Writes the row and its holds, or nothing; returns the scope that has no room."""

        def step(session: Session, again: bool) -> BudgetScope | None:
            if again and _is_kept(session, row):
                return None
            spends = [_locked(session, scope.name) for scope in _in_order(scopes)]
            for scope in scopes:
                spend = next(s for s in spends if s.scope == scope.name)
                if not scope.admits(_spent(spend) + _held(spend) + worst):
                    return scope
            for spend in spends:
                spend.held_nano_usd += worst.nano_usd
                spend.held_tokens += worst.tokens
            session.merge(_table_row(row))
            return None

        return await self._write(step)

    async def settle(
        self, row: CallRow, scopes: Sequence[BudgetScope], held: Amount, charge: Amount
    ) -> None:
        """Writes the row, frees the hold, charges what was spent."""

        def step(session: Session, again: bool) -> None:
            if again and _is_kept(session, row):
                return
            for scope in _in_order(scopes):
                spend = _locked(session, scope.name)
                spend.nano_usd += charge.nano_usd
                spend.tokens += charge.tokens
                spend.held_nano_usd -= held.nano_usd
                spend.held_tokens -= held.tokens
            session.merge(_table_row(row))

        await self._write(step)

    async def spend(self, scope: str) -> ScopeSpend:
        """What a scope has spent and holds."""

        def step(session: Session) -> ScopeSpend:
            row = session.get(SpendRow, scope)
            return ScopeSpend(spent=_spent(row), held=_held(row)) if row else ScopeSpend()

        return await self._read(step)

    async def rows(self, *, tenant: str | None = None, run: str | None = None) -> list[CallRow]:
        """Rows in order of their first reservation."""

        def step(session: Session) -> list[CallRow]:
            statement = select(CallTableRow)
            if tenant is not None:
                statement = statement.where(CallTableRow.tenant == tenant)
            if run is not None:
                statement = statement.where(CallTableRow.run == run)
            ordered = statement.order_by(CallTableRow.started_at, CallTableRow.key)
            return [_call(row) for row in session.scalars(ordered)]

        return await self._read(step)

    async def erase(self, tenant: str) -> int:
        """Removes request and reply texts of a tenant."""

        def step(session: Session, _again: bool) -> int:
            statement = (
                update(CallTableRow)
                .where(CallTableRow.tenant == tenant)
                .values(request="", reply="")
            )
            return cast(int, session.execute(statement).rowcount)  # type: ignore[attr-defined]

        erased = await self._write(step)
        await asyncio.to_thread(self._database.fold_log)
        return erased

    async def _read(self, step: Callable[[Session], T]) -> T:
        def run() -> T:
            with self._database.reading() as unit:
                return step(unit.session)

        return await patiently(run)

    async def _write(self, step: Callable[[Session, bool], T]) -> T:
        def run(again: bool) -> T:
            with self._database.writing() as unit:
                return step(unit.session, again)

        return await patiently_told(run)


def _is_kept(session: Session, row: CallRow) -> bool:
    kept = session.get(CallTableRow, row.key)
    return kept is not None and _call(kept) == row


def _in_order(scopes: Sequence[BudgetScope]) -> list[BudgetScope]:
    """Always the same order, so that two reservations never wait for each other."""
    return sorted(scopes, key=lambda scope: scope.name)


def _locked(session: Session, scope: str) -> SpendRow:
    values = {"scope": scope, "nano_usd": 0, "tokens": 0, "held_nano_usd": 0, "held_tokens": 0}
    statement = select(SpendRow).where(SpendRow.scope == scope).with_for_update()
    row = session.scalars(statement).one_or_none()
    if row is None:
        insert_once(session, cast(Table, SpendRow.__table__), values)
        row = session.scalars(statement).one()
    return row


def _spent(row: SpendRow) -> Amount:
    return Amount(nano_usd=row.nano_usd, tokens=row.tokens)


def _held(row: SpendRow) -> Amount:
    return Amount(nano_usd=row.held_nano_usd, tokens=row.held_tokens)


def _table_row(row: CallRow) -> CallTableRow:
    values: dict[str, Any] = {name: getattr(row, name) for name in _PLAIN}
    return CallTableRow(
        **values,
        state=row.state.value,
        prompt_tokens=row.usage.prompt,
        cached_tokens=row.usage.cached,
        output_tokens=row.usage.output,
        cost_source=row.cost_source.value,
        charged_nano_usd=row.charged.nano_usd,
        charged_tokens=row.charged.tokens,
    )


def _call(row: CallTableRow) -> CallRow:
    return CallRow(
        **{name: getattr(row, name) for name in _PLAIN},
        state=CallState(row.state),
        usage=Usage(prompt=row.prompt_tokens, cached=row.cached_tokens, output=row.output_tokens),
        cost_source=CostSource(row.cost_source),
        charged=Amount(nano_usd=row.charged_nano_usd, tokens=row.charged_tokens),
    )
