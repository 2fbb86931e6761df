"""Queueing the jobs of dead executors again: the part that DBOS leaves to whoever hosts it."""

import logging
import time
from collections.abc import Callable

from dbos import DBOS, DBOSClient

from grader.engine.port import Sweep
from grader.store.database import Database

_log = logging.getLogger(__name__)


class Reaper:
    """Looks for executors that have fallen silent and queues their jobs again.

    Every sweep looks at all runs whose executor is dead, not only at those just declared: a
    reaper that dies midway, or a database that goes away, strands nothing.

    Args:
        database: Where executors are entered.
        client: Asked for the runs under way.
        ttl_s: How long a run may belong to an executor that nobody has entered.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        database: Database,
        client: DBOSClient,
        ttl_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._client = client
        self._ttl_s = ttl_s
        self._clock = clock
        self._unknown_since: dict[str, float] = {}

    def sweep(self) -> Sweep:
        """One look."""
        with self._database.writing() as unit:
            declared = unit.executors.declare_dead()
            known = unit.executors.known()
        dead = sorted(e for e in self._owners() if self._is_dead(e, known))
        if not dead:
            return Sweep(declared)
        recovered = recover(dead)
        _log.warning("executors %s are dead: %d jobs queued again", dead, len(recovered))
        return Sweep(declared, recovered)

    def _owners(self) -> set[str]:
        """The executors of all runs under way."""
        running = self._client.list_workflows(status="PENDING", load_input=False, load_output=False)
        return {run.executor_id for run in running if run.executor_id}

    def _is_dead(self, executor_id: str, known: dict[str, bool]) -> bool:
        if executor_id in known:
            self._unknown_since.pop(executor_id, None)
            return not known[executor_id]
        since = self._unknown_since.setdefault(executor_id, self._clock())
        return self._clock() - since >= self._ttl_s


def recover(executor_ids: list[str]) -> tuple[str, ...]:
    """Queues what these executors were running again, each on its own queue."""
    # No public call does this with a guard on the executor; a contract test pins what it does.
    handles = DBOS._recover_pending_workflows(executor_ids)
    return tuple(handle.get_workflow_id() for handle in handles)
