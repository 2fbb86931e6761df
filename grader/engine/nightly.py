"""What is done once a day by whichever process comes first: forgetting what has had its time.

Whose turn it is says one row for each chore, on the database's clock. A chore that fails, or whose
process dies, is done again the next day; each of them may be done at any time, and twice. They have
a thread of their own: a beat must not wait until a thousand files are looked at.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from grader.engine.erasing import apply_retention, sweep_blobs
from grader.engine.port import Engine
from grader.store.blobs import BlobStore
from grader.store.database import Database, utc_now
from grader.store.errors import StoreUnavailableError

DAY_S = 24 * 3600.0
LOOK_S = 600.0
STOP_S = 5.0
ENDED_KEPT = timedelta(days=7)
"""How long the engine keeps the runs of jobs that have ended."""
DEAD_KEPT_S = 7 * DAY_S
UPLOAD_AT_MOST = timedelta(days=1)

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Chore:
    """One thing to be done once a day.

    Attributes:
        name: Under which its turns are kept.
        do: Does it; what it returns is logged.
    """

    name: str
    do: Callable[[], object]


def chores(engine: Engine, database: Database, blobs: BlobStore) -> tuple[Chore, ...]:
    """Everything that must be forgotten in time."""

    def forget_keys() -> int:
        with database.writing() as unit:
            return unit.deployment.forget_expired_keys()

    def forget_dead() -> int:
        with database.writing() as unit:
            return unit.executors.forget_dead(DEAD_KEPT_S)

    return (
        Chore("retention", lambda: apply_retention(engine, database, blobs, utc_now())),
        Chore("files", lambda: sweep_blobs(database, blobs, utc_now() - UPLOAD_AT_MOST)),
        Chore("idempotency keys", forget_keys),
        Chore("dead executors", forget_dead),
        Chore("ended runs", lambda: engine.forget_ended(utc_now() - ENDED_KEPT)),
    )


class Nightly:
    """Looks now and then whether a chore is due, and does it.

    Args:
        database: Where the turns are kept.
        chores: In their order.
        look_s: Seconds between two looks; the first one comes after as many.
    """

    def __init__(
        self, database: Database, chores: Sequence[Chore], *, look_s: float = LOOK_S
    ) -> None:
        self._database = database
        self._chores = tuple(chores)
        self._look_s = look_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nightly", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Starts no further chore, and waits a while for the one under way."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(STOP_S)

    def turn(self) -> None:
        """Does every chore whose turn is this process's."""
        for chore in self._chores:
            if self._stop.is_set():
                return
            try:
                with self._database.writing() as unit:
                    due = unit.deployment.take_turn(chore.name, DAY_S)
                if due:
                    _log.info("%s: %s", chore.name, chore.do())
            except StoreUnavailableError as error:
                _log.warning("%s: %s", chore.name, error.message)
            except Exception:
                # The thread must outlive whatever a chore meets: the others are still to be done.
                _log.exception("%s failed", chore.name)

    def _run(self) -> None:
        while not self._stop.wait(self._look_s):
            self.turn()
