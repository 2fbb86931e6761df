"""Beating, and looking for those that no longer beat, from a thread of its own.

A process that was declared dead ends at once: its jobs are somebody else's. A process whose own
beats were late, because the database was away or the machine slept, declares nobody dead until it
has beaten in time for as long as it waits for others: the others were most likely late, too.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from grader.engine.port import Sweep
from grader.store.database import Database
from grader.store.errors import StoreUnavailableError

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pulse:
    """How often an executor beats, and after which silence it counts as dead.

    Attributes:
        beat_s: Seconds between two beats.
        ttl_s: Seconds of silence; at least five beats.
    """

    beat_s: float = 3.0
    ttl_s: float = 15.0

    def __post_init__(self) -> None:
        if self.ttl_s < 5 * self.beat_s:
            raise ValueError(f"ttl_s={self.ttl_s} must be at least five times {self.beat_s}")


class Heart:
    """Beats for one executor and sweeps for all.

    Args:
        database: Of this thread alone.
        executor_id: For whom it beats; registered already.
        pulse: How often.
        sweep: Declares silent executors dead and recovers their jobs.
        on_dead: Called when this executor was declared dead; must not return to its jobs.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        database: Database,
        executor_id: str,
        pulse: Pulse,
        *,
        sweep: Callable[[], Sweep],
        on_dead: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._executor_id = executor_id
        self._pulse = pulse
        self._sweep = sweep
        self._on_dead = on_dead
        self._clock = clock
        self._last = self._steady_since = clock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._last = self._steady_since = self._clock()
        self._thread.start()

    def stop(self) -> None:
        """Stops the thread, and waits for it."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()
        self._database.close()

    @property
    def age_s(self) -> float:
        """Seconds since the last beat that the database took."""
        return self._clock() - self._last

    def turn(self) -> None:
        """One beat, and a sweep where this process may judge others."""
        try:
            with self._database.writing() as unit:
                alive = unit.executors.beat(self._executor_id)
            if not alive:
                self._on_dead()
                return
            if self._is_steady():
                self._sweep()
        except StoreUnavailableError as error:
            _log.warning("no beat: %s", error.message)
        except Exception:
            # The thread must outlive whatever a sweep meets: it is what keeps this process alive.
            _log.exception("a sweep failed")

    def _is_steady(self) -> bool:
        now = self._clock()
        if now - self._last > self._pulse.ttl_s / 2:
            self._steady_since = now
        self._last = now
        return now - self._steady_since >= self._pulse.ttl_s

    def _run(self) -> None:
        while not self._stop.wait(self._pulse.beat_s):
            self.turn()
