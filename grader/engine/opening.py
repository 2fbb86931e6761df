"""Building an engine for the process at hand."""

import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING

from grader.engine.errors import EngineUnavailableError
from grader.engine.grading import new_executor_id
from grader.engine.heartbeat import Pulse
from grader.engine.parts import Parts
from grader.engine.queues import BEAT_S, LIVE_BEAT_S, LIVE_TTL_S, TTL_S, Pool
from grader.errors import InputError
from grader.settings import Settings
from grader.store.database import Database
from grader.store.migrate import demand_current, upgrade

if TYPE_CHECKING:
    from grader.engine.dbos_adapter.client import DbosClientEngine
    from grader.engine.dbos_adapter.worker import DbosWorkerEngine

EMBEDDED_ID = "local"


class EmbeddedLock:
    """Sees to it that one process only runs a data folder; held until the process ends.

    Args:
        data_dir: The folder.

    Raises:
        EngineUnavailableError: Another process has it.
    """

    def __init__(self, data_dir: Path) -> None:
        data_dir.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(data_dir / "serve.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise EngineUnavailableError(
                f"another process serves {str(data_dir)!r}",
                remedy="stop it, or give this one another --data",
            ) from None

    def release(self) -> None:
        """Lets another process serve the folder."""
        os.close(self._descriptor)


def migrate(database: Database) -> None:
    """Brings the whole schema up, ours and that of the engine's library."""
    from grader.engine.dbos_adapter import system

    upgrade(database)
    system.migrate(database)


def open_embedded(settings: Settings, *, parts: Parts | None = None) -> "DbosWorkerEngine":
    """API and workers in one process; brings the schema up itself.

    Raises:
        EngineUnavailableError: Another process serves the same data folder.
    """
    from grader.engine.dbos_adapter.embedded import EmbeddedEngine

    lock = EmbeddedLock(settings.data_dir)
    database = parts.database if parts else Database.of(settings)
    migrate(database)
    # On SQLite nobody else can be at work, and a stable id lets DBOS take up at once what the
    # process before had under way. On PostgreSQL there may be other workers.
    executor_id = EMBEDDED_ID if database.is_sqlite else new_executor_id()
    return EmbeddedEngine(
        parts or Parts.of(settings, database),
        executor_id=executor_id,
        pulse=Pulse(BEAT_S, TTL_S),
        lock=lock,
    )


def open_client(settings: Settings) -> "DbosClientEngine":
    """A process that queues jobs and runs none.

    Raises:
        StoreUnavailableError: The schema is not the one this release needs.
    """
    from grader.engine.dbos_adapter.client import DbosClientEngine

    database = Database.of(settings)
    demand_current(database)
    return DbosClientEngine(database)


def open_worker(
    settings: Settings,
    pools: tuple[Pool, ...],
    *,
    parts: Parts | None = None,
    pulse: Pulse | None = None,
    cores: int | None = None,
) -> "DbosWorkerEngine":
    """A process that runs the jobs of some pools.

    Raises:
        InputError: No pool.
        StoreUnavailableError: The schema is not the one this release needs.
    """
    from grader.engine.dbos_adapter.worker import DbosWorkerEngine

    if not pools:
        raise InputError("no pool", remedy=f"use --pool with {', '.join(Pool)}")
    database = parts.database if parts else Database.of(settings)
    demand_current(database)
    usual = Pulse(LIVE_BEAT_S, LIVE_TTL_S) if pools == (Pool.LIVE,) else Pulse(BEAT_S, TTL_S)
    return DbosWorkerEngine(
        parts or Parts.of(settings, database),
        pools,
        executor_id=new_executor_id(),
        pulse=pulse or usual,
        cores=cores,
    )
