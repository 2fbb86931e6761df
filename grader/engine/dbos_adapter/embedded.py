"""A worker in the process of the API, alone on its data folder."""

from typing import Protocol

from grader.engine.dbos_adapter.worker import DbosWorkerEngine
from grader.engine.heartbeat import Pulse
from grader.engine.parts import Parts


class Lock(Protocol):
    """What keeps other processes off the data folder."""

    def release(self) -> None:
        """Lets them in."""


class EmbeddedEngine(DbosWorkerEngine):
    """An engine that serves all queues and frees its data folder when it is closed.

    Args:
        parts: What the workflows need.
        executor_id: The same at every start where the folder is this process's alone.
        pulse: How often it beats.
        lock: Held until it is closed.
    """

    def __init__(self, parts: Parts, *, executor_id: str, pulse: Pulse, lock: Lock) -> None:
        super().__init__(parts, None, executor_id=executor_id, pulse=pulse)
        self._lock = lock

    def close(self) -> None:
        """Stops taking jobs and frees the folder."""
        super().close()
        self._lock.release()
