"""The call ledger in one SQLite file, or in memory.

Write-ahead log, one transaction a step: what a step recorded survives the death of the process at
any moment. Several processes may share the file.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.judges.ledger import (
    Amount,
    BudgetScope,
    CallRow,
    CallState,
    CostSource,
    LedgerError,
    ScopeSpend,
    Usage,
)

_BUSY_TIMEOUT_S = 30.0
_TABLES = """
CREATE TABLE IF NOT EXISTS calls (
  key TEXT PRIMARY KEY, tenant TEXT NOT NULL, run TEXT NOT NULL, model TEXT NOT NULL,
  sample INTEGER NOT NULL, state TEXT NOT NULL, outcome TEXT NOT NULL, mode TEXT NOT NULL,
  attempts INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL, cost_nano_usd INTEGER, cost_source TEXT NOT NULL,
  charged_nano_usd INTEGER NOT NULL, charged_tokens INTEGER NOT NULL,
  request TEXT NOT NULL, reply TEXT NOT NULL, started_at TEXT NOT NULL, finished_at TEXT
);
CREATE INDEX IF NOT EXISTS calls_by_tenant ON calls (tenant, run);
CREATE TABLE IF NOT EXISTS spend (
  scope TEXT PRIMARY KEY, nano_usd INTEGER NOT NULL, tokens INTEGER NOT NULL,
  held_nano_usd INTEGER NOT NULL, held_tokens INTEGER NOT NULL
);
"""
_COLUMNS = 20
# The marks are built from a constant; no value ever enters the text of a statement.
_UPSERT = f"INSERT OR REPLACE INTO calls VALUES ({', '.join('?' * _COLUMNS)})"  # noqa: S608
_ADD_SPEND = """
INSERT INTO spend VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope) DO UPDATE SET
  nano_usd = nano_usd + excluded.nano_usd, tokens = tokens + excluded.tokens,
  held_nano_usd = held_nano_usd + excluded.held_nano_usd,
  held_tokens = held_tokens + excluded.held_tokens
"""


class SqliteLedger:
    """A ``CallLedger`` on SQLite; usable from several threads and event loops.

    The steps are short statements on a local file and run inline: a thread hop would cost more
    than the statement.

    Args:
        path: The file, made where absent; ``:memory:`` for one that dies with the object.
    """

    def __init__(self, path: Path | str = ":memory:") -> None:
        self._path = path
        self._lock = threading.RLock()
        with self._access():
            self._db = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_S, check_same_thread=False, isolation_level=None
            )
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA secure_delete = ON")
            self._db.executescript(_TABLES)

    def close(self) -> None:
        """Closes the file."""
        with self._access():
            self._db.close()

    async def find(self, key: str) -> CallRow | None:
        """The row of a finished call, or None."""
        with self._access():
            found = self._db.execute(
                "SELECT * FROM calls WHERE key = ? AND state = 'done' AND reply != ''", (key,)
            ).fetchone()
        return _row(found) if found else None

    async def reserve(
        self, row: CallRow, scopes: Sequence[BudgetScope], worst: Amount
    ) -> BudgetScope | None:
        """Writes the row and its holds, or nothing; returns the scope that has no room."""
        with self._transaction():
            for scope in scopes:
                spend = self._spend(scope.name)
                if not scope.admits(spend.spent + spend.held + worst):
                    return scope
            for scope in scopes:
                held = (scope.name, 0, 0, worst.nano_usd, worst.tokens)
                self._db.execute(_ADD_SPEND, held)
            self._db.execute(_UPSERT, _values(row))
        return None

    async def settle(
        self, row: CallRow, scopes: Sequence[BudgetScope], held: Amount, charge: Amount
    ) -> None:
        """Writes the row, frees the hold, charges what was spent."""
        with self._transaction():
            for scope in scopes:
                change = (charge.nano_usd, charge.tokens, -held.nano_usd, -held.tokens)
                self._db.execute(_ADD_SPEND, (scope.name, *change))
            self._db.execute(_UPSERT, _values(row))

    async def spend(self, scope: str) -> ScopeSpend:
        """What a scope has spent and holds."""
        with self._access():
            return self._spend(scope)

    async def rows(self, *, tenant: str | None = None, run: str | None = None) -> list[CallRow]:
        """Rows in order of their first reservation."""
        with self._access():
            found = self._db.execute(
                "SELECT * FROM calls WHERE tenant = coalesce(?, tenant) AND run = coalesce(?, run)"
                " ORDER BY started_at, key",
                (tenant, run),
            ).fetchall()
        return [_row(values) for values in found]

    async def erase(self, tenant: str) -> int:
        """Removes request and reply texts of a tenant."""
        with self._transaction():
            erased = self._db.execute(
                "UPDATE calls SET request = '', reply = '' WHERE tenant = ?", (tenant,)
            ).rowcount
        with self._access():
            # Until it is folded in, the log file still holds the texts.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return erased

    @contextmanager
    def _access(self) -> Iterator[None]:
        """One thread at a time; SQLite's errors as ours."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise LedgerError(
                    f"the call ledger {self._path} failed: {error}",
                    remedy="check that the file can be written and the disk has room",
                ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._access():
            # IMMEDIATE takes the write lock at once, so that the check of a budget and the hold
            # are one step for every process on the file.
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _spend(self, scope: str) -> ScopeSpend:
        found = self._db.execute("SELECT * FROM spend WHERE scope = ?", (scope,)).fetchone()
        if found is None:
            return ScopeSpend()
        _, nano_usd, tokens, held_nano_usd, held_tokens = found
        return ScopeSpend(
            spent=Amount(nano_usd=nano_usd, tokens=tokens),
            held=Amount(nano_usd=held_nano_usd, tokens=held_tokens),
        )


def _values(row: CallRow) -> tuple[Any, ...]:
    return (
        row.key,
        row.tenant,
        row.run,
        row.model,
        row.sample,
        row.state.value,
        row.outcome,
        row.mode,
        row.attempts,
        row.usage.prompt,
        row.usage.cached,
        row.usage.output,
        row.cost_nano_usd,
        row.cost_source.value,
        row.charged.nano_usd,
        row.charged.tokens,
        row.request,
        row.reply,
        row.started_at.isoformat(),
        row.finished_at.isoformat() if row.finished_at else None,
    )


def _row(values: Sequence[Any]) -> CallRow:
    return CallRow(
        key=values[0],
        tenant=values[1],
        run=values[2],
        model=values[3],
        sample=values[4],
        state=CallState(values[5]),
        outcome=values[6],
        mode=values[7],
        attempts=values[8],
        usage=Usage(prompt=values[9], cached=values[10], output=values[11]),
        cost_nano_usd=values[12],
        cost_source=CostSource(values[13]),
        charged=Amount(nano_usd=values[14], tokens=values[15]),
        request=values[16],
        reply=values[17],
        started_at=datetime.fromisoformat(values[18]),
        finished_at=datetime.fromisoformat(values[19]) if values[19] else None,
    )
