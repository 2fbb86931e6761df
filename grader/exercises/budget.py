"""Time of one suite: CPU seconds of the submission's processes, and the wall clock over all.

Each invariant has its own share, so that one which overruns never starves another. What earlier
ones left unspent pays for runs that only confirm or explain.
"""

import time
from collections.abc import Callable, Iterable

WALL_FACTOR = 1.25
WALL_EXTRA_S = 20.0
CLOSING_S = 1.0
WALL_PER_CPU = 4.0
LEAST_RUN_S = 0.05


class Budget:
    """What a suite has spent and may still spend.

    Args:
        cpu_s: CPU seconds of the whole suite.
        shares: Shares of the invariants, in the order in which they run.
        clock: Monotonic wall clock in seconds.
    """

    def __init__(
        self,
        cpu_s: float,
        shares: Iterable[float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._unspent = cpu_s
        self._reserved = sum(shares)
        self._clock = clock
        # What runs at the deadline has yet to be ended, and the result to be written.
        self._deadline = clock() + WALL_FACTOR * cpu_s + WALL_EXTRA_S - CLOSING_S

    def aside(self, cpu_s: float) -> "Budget":
        """CPU time beside the suite's, for what is not graded; the suite's end holds for it too."""
        beside = Budget(cpu_s, (), self._clock)
        beside._deadline = min(beside._deadline, self._deadline)
        return beside

    def open_share(self, share_s: float) -> None:
        """The next invariant begins; its share is no longer set aside."""
        self._reserved -= share_s

    def spend(self, cpu_s: float) -> None:
        """Books CPU seconds that a run has used."""
        self._unspent -= cpu_s

    @property
    def spare_cpu_s(self) -> float:
        """CPU seconds beyond what is set aside for the invariants to come."""
        return max(self._unspent - self._reserved, 0.0)

    @property
    def wall_left_s(self) -> float:
        """Wall seconds until the suite ends, whatever happens."""
        return max(self._deadline - self._clock(), 0.0)

    @property
    def over(self) -> bool:
        """Whether the suite's wall time is up."""
        return self.wall_left_s < LEAST_RUN_S

    def wall_for(self, cpu_s: float) -> float:
        """Wall seconds of a run with this CPU limit."""
        return min(max(WALL_PER_CPU * cpu_s, 10.0), self.wall_left_s)
