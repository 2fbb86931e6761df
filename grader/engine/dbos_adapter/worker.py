"""The port with a worker behind it: runs the jobs of its pools."""

import os
import socket
from collections.abc import Callable

from dbos import DBOS

from grader.engine.courier import Courier
from grader.engine.dbos_adapter import system
from grader.engine.dbos_adapter.client import ALL_POOLS, DbosClientEngine
from grader.engine.dbos_adapter.recovery import Reaper
from grader.engine.dbos_adapter.workflows import register
from grader.engine.grading import GradingDesk
from grader.engine.heartbeat import Heart, Pulse
from grader.engine.nightly import Nightly, chores
from grader.engine.parts import Parts
from grader.engine.port import Sweep
from grader.engine.queues import Pool, policies, served_by
from grader.store.database import Database

_WITH_FILES = {Pool.LIVE, Pool.BULK}
DECLARED_DEAD_EXIT = 75
"""Exit status of a process that others have given up: start it again."""


class DbosWorkerEngine(DbosClientEngine):
    """An `Engine` that runs jobs in this process; at most one a process.

    Args:
        parts: What the workflows need.
        pools: Whose queues it serves; all where None.
        executor_id: Unlike that of any other living process.
        pulse: How often it beats.
        cores: Sandboxes at once; as many as the machine has cores where None.
        on_dead: What it does when it was declared dead; ends the process where None.
    """

    def __init__(
        self,
        parts: Parts,
        pools: tuple[Pool, ...] | None,
        *,
        executor_id: str,
        pulse: Pulse,
        cores: int | None = None,
        on_dead: Callable[[], None] | None = None,
    ) -> None:
        self._parts = parts
        self._executor_id = executor_id
        database = parts.database
        with database.writing() as unit:
            unit.executors.register(
                executor_id,
                pool="+".join(pools) if pools else ALL_POOLS,
                host=socket.gethostname(),
                ttl_s=pulse.ttl_s,
            )
        super().__init__(database)
        # Before the launch: a process looks for new queues only once a second.
        system.register_queues(self._client, policies(cores))
        self._reaper = Reaper(database, self._client, pulse.ttl_s)
        DBOS(config=system.configuration(database, executor_id))
        desk = GradingDesk(parts, executor_id, lambda unit, d: self.announce(unit, d))
        register(desk, Courier(parts), self._again)
        if pools:
            DBOS.listen_queues([name.value for name in served_by(pools)])
        DBOS.launch()
        self._heart = Heart(
            Database(database.url, sqlite_sync=database.sqlite_sync, pool_size=1),
            executor_id,
            pulse,
            sweep=self._reaper.sweep,
            on_dead=on_dead or _end_process,
        )
        self._heart.start()
        self._nightly = Nightly(database, chores(self, database, parts.blobs))
        # Elsewhere the files may be out of reach, and an erasure would be half of one.
        if pools is None or set(pools) & _WITH_FILES:
            self._nightly.start()

    def reap(self) -> Sweep:
        """Declares silent executors dead, and queues their jobs again."""
        return self._reaper.sweep()

    def close(self) -> None:
        """Stops taking jobs; those under way are queued again by whoever sweeps next."""
        self._nightly.stop()
        self._heart.stop()
        DBOS.destroy(destroy_registry=True)
        with self.database.writing() as unit:
            unit.executors.bury(self._executor_id)
        super().close()

    def _again(self, tenant_id: str, delivery_id: str, wait_s: float, number: int) -> None:
        with self.database.writing() as unit:
            delivery = unit.of(tenant_id).deliveries.get(delivery_id)
            self.announce(unit, delivery, wait_s, number)


def _end_process() -> None:
    """At once, and without tidying up: what this process holds is no longer its own."""
    os._exit(DECLARED_DEAD_EXIT)
