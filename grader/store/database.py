"""The one database: engines as the service needs them, and units of work on them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import Session

from grader.errors import InputError
from grader.settings import Settings
from grader.store.errors import StoreUnavailableError
from grader.store.unit import Unit

BUSY_TIMEOUT_S = 30.0
JOURNAL_LIMIT_BYTES = 64 << 20
_WRITES = "grader_writes"
_BACKENDS = ("sqlite", "postgresql")


def utc_now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


class Database:
    """Gives units of work: short transactions, either reading or writing.

    A writing unit takes SQLite's write lock at once: one that reads first and writes later would
    fail whenever another process wrote in between, whatever the time-out.

    Args:
        url: SQLAlchemy URL, ``sqlite:///FILE`` or ``postgresql+psycopg://...``.
        sqlite_sync: ``normal`` or ``full``.
        pool_size: Connections kept open.
        clock: Time of what is written.

    Raises:
        InputError: The URL is of another kind of database.
    """

    def __init__(
        self,
        url: str,
        *,
        sqlite_sync: str = "normal",
        pool_size: int = 8,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.url = _checked(url)
        self.sqlite_sync = sqlite_sync
        self.engine = _engine(url, sqlite_sync, pool_size)
        self._reader = self.engine
        self._writer = self.engine.execution_options(**{_WRITES: True})
        self._clock = clock
        # Waiting for SQLite's lock is sleeping ever longer, and unfair; so the threads of one
        # process queue here, and only processes wait for each other there.
        self._turn: AbstractContextManager[object] = RLock() if self.is_sqlite else nullcontext()

    @classmethod
    def of(cls, settings: Settings) -> "Database":
        """The database of a deployment."""
        if not settings.database_url:
            settings.data_dir.mkdir(parents=True, exist_ok=True)
        return cls(settings.database, sqlite_sync=settings.sqlite_sync)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is one file."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Unit]:
        """A unit that only reads, from one snapshot on SQLite.

        Raises:
            StoreUnavailableError: The database does not answer.
        """
        with self._unit(self._reader) as unit:
            yield unit

    @contextmanager
    def writing(self) -> Iterator[Unit]:
        """A unit whose writes happen all or not at all.

        Raises:
            StoreUnavailableError: The database does not answer.
        """
        with self._turn, self._unit(self._writer) as unit:
            yield unit

    def fold_log(self) -> None:
        """Folds SQLite's write-ahead log in; until then it still holds what was erased."""
        if self.is_sqlite:
            with self.engine.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()

    @contextmanager
    def _unit(self, engine: Engine) -> Iterator[Unit]:
        try:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                yield Unit(session, self._clock())
        except (OperationalError, InterfaceError) as error:
            raise unavailable(error) from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise unavailable(error) from error
            raise


def unavailable(error: DBAPIError) -> StoreUnavailableError:
    """The error of a database that does not answer, without the statement's values."""
    first = str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__
    return StoreUnavailableError(
        f"the database does not answer: {first}",
        remedy="look whether it runs and GRADER_DATABASE_URL is right",
    )


def sqlite_engine(url: str, sync: str = "normal", **options: Any) -> Engine:
    """An engine on a SQLite file with a write-ahead log, one writer waiting for the other.

    Transactions begin as the engine is told (``begin_mode``), never implicitly.
    """
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, **options)

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        set_sqlite_pragmas(connection, sync)
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def set_sqlite_pragmas(connection: Any, sync: str) -> None:
    """The settings of every SQLite connection, ours and the engine's."""
    for pragma in (
        f"busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}",
        "journal_mode = WAL",
        f"synchronous = {sync.upper()}",
        "foreign_keys = ON",
        "temp_store = MEMORY",
        "secure_delete = ON",
        f"journal_size_limit = {JOURNAL_LIMIT_BYTES}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _engine(url: str, sync: str, pool_size: int) -> Engine:
    if url.startswith("sqlite"):
        return sqlite_engine(url, sync, pool_size=pool_size)
    return create_engine(url, pool_size=pool_size, max_overflow=pool_size, pool_pre_ping=True)


def _checked(url: str) -> str:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InputError(
            "GRADER_DATABASE_URL is no URL", remedy="use postgresql+psycopg://USER@HOST/NAME"
        ) from error
    if parsed.get_backend_name() not in _BACKENDS:
        raise InputError(
            f"GRADER_DATABASE_URL names the database {parsed.get_backend_name()!r}",
            remedy=f"use one of {', '.join(_BACKENDS)}",
        )
    return url
