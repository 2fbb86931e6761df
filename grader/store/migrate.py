"""Bringing the schema up or down, one process at a time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from grader.store.database import Database
from grader.store.errors import StoreUnavailableError
from grader.store.tables import metadata

HEAD = "head"
BASE = "base"
_LOCK = 0x67726164
"""Number of PostgreSQL's advisory lock; any that nobody else uses."""


def upgrade(database: Database, revision: str = HEAD) -> None:
    """Brings the schema up to a revision; several processes may start at once."""
    _locked(database, lambda config: command.upgrade(config, revision))


def downgrade(database: Database, revision: str = BASE) -> None:
    """Brings the schema down to a revision."""
    _locked(database, lambda config: command.downgrade(config, revision))


def current_revision(database: Database) -> str | None:
    """The revision that the database is at; None where it is empty."""
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def head_revision() -> str:
    """The revision that this release needs."""
    revision = ScriptDirectory.from_config(_config()).get_current_head()
    assert revision is not None
    return revision


def demand_current(database: Database) -> None:
    """Asserts that the schema is the one this release needs.

    Raises:
        StoreUnavailableError: It is not.
    """
    found, wanted = current_revision(database), head_revision()
    if found != wanted:
        raise StoreUnavailableError(
            f"the database is at revision {found or 'none'}, this release needs {wanted}",
            remedy="run `grader admin migrate`",
        )


def differences(database: Database) -> list[Any]:
    """What distinguishes the database from the tables in code; nothing, after an upgrade."""
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "include_object": lambda _o, name, kind, *_: (
                    kind != "table" or name in metadata.tables
                ),
                "compare_type": True,
            },
        )
        return list(compare_metadata(context, metadata))


def draft_revision(database: Database, identifier: str, message: str) -> None:
    """Writes a new revision that would make the database what the code says."""

    def draft(config: Config) -> None:
        command.revision(config, message=message, autogenerate=True, rev_id=identifier)

    _locked(database, draft)


def _locked(database: Database, action: Callable[[Config], None]) -> None:
    with database.engine.connect() as connection:
        if database.is_sqlite:
            _with_file_lock(connection, action)
        else:
            with connection.begin():
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
                action(_config(connection))


def _with_file_lock(connection: Connection, action: Callable[[Config], None]) -> None:
    """SQLite rebuilds a table to change it, which must not cascade to those that refer to it."""
    raw = connection.connection.driver_connection
    assert raw is not None
    raw.execute("PRAGMA foreign_keys = OFF")
    try:
        with connection.execution_options(grader_writes=True).begin():
            action(_config(connection))
    finally:
        raw.execute("PRAGMA foreign_keys = ON")


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
