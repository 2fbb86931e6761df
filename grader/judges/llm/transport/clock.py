"""Time as the transport sees it, so that tests can own it."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """A monotonic clock, the date, and a way to wait."""

    def now(self) -> float:
        """Seconds on a monotonic clock."""
        ...

    def date(self) -> datetime:
        """The time of day, UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Seconds on a monotonic clock."""
        return time.monotonic()

    def date(self) -> datetime:
        """The time of day, UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)
