"""Stops asking an engine that keeps failing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from sandbox.errors import InfraError, SandboxUnavailable

FAILURES: Final = 3
COOL_DOWN_S: Final = 30.0


class Circuit:
    """Opens after three failures in a row, and lets one attempt through after a while.

    Args:
        clock: Seconds from an arbitrary origin.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._opened = 0.0
        self._reason = ""

    @property
    def open(self) -> bool:
        """Whether attempts are refused just now."""
        return self._failures >= FAILURES and self._clock() - self._opened < COOL_DOWN_S

    def check(self) -> None:
        """Asserts that an attempt may be made.

        Raises:
            SandboxUnavailable: The circuit is open.
        """
        if self.open:
            raise SandboxUnavailable(
                f"{FAILURES} sandboxes in a row failed to start: {self._reason}",
                remedy=f"look at the engine; the next attempt is made after {COOL_DOWN_S:.0f} s",
            )

    def failed(self, error: InfraError) -> None:
        """Takes note of a failure."""
        self._failures += 1
        self._opened = self._clock()
        self._reason = str(error)

    def succeeded(self) -> None:
        """Takes note of a success."""
        self._failures = 0
