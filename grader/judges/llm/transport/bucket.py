"""Token bucket: so many units a minute, with debt, so that a later correction is exact."""

from dataclasses import dataclass


@dataclass
class TokenBucket:
    """Holds up to ``capacity`` units and refills at ``capacity`` a minute.

    Time is an argument, so that the law can be tested without waiting: in any window of ``t``
    seconds at most ``capacity * (1 + t / 60)`` units are taken, where each request asks for no
    more than the capacity.

    Args:
        per_minute: Units a minute, also the most that can be saved up.
        share: Part of ``per_minute`` that can be saved up: what may go out in one burst.
    """

    per_minute: float
    share: float = 1.0

    def __post_init__(self) -> None:
        self._capacity = max(1.0, self.per_minute * self.share)
        self._level = self._capacity
        self._at: float | None = None

    def take(self, now: float, units: float) -> float:
        """Takes ``units`` or tells how long to wait.

        Returns:
            0.0 when taken, else the seconds after which it is worth asking again. A request for
            more than the capacity waits for a full bucket and leaves a debt.
        """
        self._refill(now)
        wanted = min(units, self._capacity)
        if self._level + 1e-9 >= wanted:
            self._level -= units
            return 0.0
        return (wanted - self._level) * 60 / self.per_minute

    def correct(self, units: float) -> None:
        """Takes what an estimate missed, or gives back (negative) what it had too much."""
        self._level = min(self._capacity, self._level - units)

    def _refill(self, now: float) -> None:
        passed = 0.0 if self._at is None else max(0.0, now - self._at)
        self._at = now if self._at is None else max(self._at, now)
        self._level = min(self._capacity, self._level + passed * self.per_minute / 60)
