"""The few statements that SQLite and PostgreSQL spell differently."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Float, Table, func, literal_column
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

# Julian days, because SQLite knows sub-second Unix time only from 3.42 on.
_SQLITE_CLOCK = "((julianday('now') - 2440587.5) * 86400.0)"
_POSTGRES_CLOCK = "extract(epoch from clock_timestamp())"


def is_sqlite(session: Session) -> bool:
    """Whether the session is on SQLite."""
    return session.get_bind().dialect.name == "sqlite"


def database_clock(session: Session) -> ColumnElement[float]:
    """Seconds since 1970 on the database's clock: the one clock that all processes share."""
    text = _SQLITE_CLOCK if is_sqlite(session) else _POSTGRES_CLOCK
    return func.round(literal_column(text, Float), 3) if is_sqlite(session) else _double(text)


def insert_once(session: Session, table: Table, values: dict[str, Any]) -> bool:
    """Inserts a row unless one of its unique keys is taken; returns whether it did."""
    make = sqlite.insert if is_sqlite(session) else postgresql.insert
    keys = table.primary_key.columns.values()
    statement = make(table).values(values).on_conflict_do_nothing().returning(*keys)
    # The row itself is asked for: a driver may not count what an insertion with a result did.
    return session.execute(statement).first() is not None


def _double(text: str) -> ColumnElement[float]:
    return literal_column(f"cast({text} as double precision)", Float)


@contextmanager
def at_one_moment(engine: Engine) -> Iterator[Connection]:
    """A connection on which all reads are of one moment."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection, connection.begin():
            yield connection
        return
    with engine.connect() as connection:
        still = connection.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        with still.begin():
            yield still
