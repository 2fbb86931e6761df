"""Whose turn it is to write to SQLite: requests before jobs, for somebody waits for a request.

SQLite lets one transaction write at a time, and lets the others sleep and try again, ever more
seldom and in no order. So the threads of one process queue here instead. A request goes before all
waiting jobs, but for one turn in so many, lest jobs wait for ever.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from grader.settings import Settings
from grader.store.database import Database
from grader.store.unit import Unit

MOST_IN_A_ROW = 8


class Turns:
    """Gives one thread at a time its turn; the thread that has it may take it again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._urgent: deque[threading.Event] = deque()
        self._ordinary: deque[threading.Event] = deque()
        self._owner: int | None = None
        self._busy = False
        self._depth = 0
        self._in_a_row = 0

    @contextmanager
    def taken(self, *, urgent: bool) -> Iterator[None]:
        """Waits for a turn and gives it back at the end."""
        self._take(urgent)
        try:
            yield
        finally:
            self._give_back()

    @property
    def waiting(self) -> int:
        """Threads that wait."""
        with self._lock:
            return len(self._urgent) + len(self._ordinary)

    def _take(self, urgent: bool) -> None:
        me = threading.get_ident()
        with self._lock:
            if self._owner == me:
                self._depth += 1
                return
            ticket = None
            if self._busy:
                ticket = threading.Event()
                (self._urgent if urgent else self._ordinary).append(ticket)
            self._busy = True
        if ticket is not None:
            ticket.wait()
        self._owner, self._depth = me, 1

    def _give_back(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth:
                return
            self._owner = None
            ticket = self._next()
            self._busy = ticket is not None
        if ticket is not None:
            ticket.set()

    def _next(self) -> threading.Event | None:
        """Who comes next; the turn goes from hand to hand, so that nobody slips in between."""
        jobs_due = self._ordinary and self._in_a_row >= MOST_IN_A_ROW
        if self._urgent and not jobs_due:
            self._in_a_row += 1
            return self._urgent.popleft()
        self._in_a_row = 0
        return self._ordinary.popleft() if self._ordinary else None


class TurnDatabase(Database):
    """A database whose writers wait for their turn together with those of others.

    Args:
        settings: Of the deployment.
        turns: Shared by the databases of one process.
        urgent: Whether somebody waits for what is written.
    """

    def __init__(self, settings: Settings, turns: Turns, *, urgent: bool) -> None:
        super().__init__(settings.database, sqlite_sync=settings.sqlite_sync)
        self._turns = turns
        self._urgent = urgent

    @contextmanager
    def writing(self) -> Iterator[Unit]:
        """A unit whose writes happen all or not at all."""
        with self._turns.taken(urgent=self._urgent), super().writing() as unit:
            yield unit


def open_both(settings: Settings) -> tuple[Database, Database]:
    """The database as jobs use it and as requests do, for one process that has both."""
    jobs = Database.of(settings)
    if not jobs.is_sqlite:
        return jobs, Database.of(settings)
    jobs.close()
    turns = Turns()
    return (
        TurnDatabase(settings, turns, urgent=False),
        TurnDatabase(settings, turns, urgent=True),
    )
