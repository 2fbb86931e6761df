"""How many requests may be in flight: additive increase, multiplicative decrease.

A fresh endpoint is met with a few requests and one more every few milliseconds: a 429 answers at
once while a reply takes seconds, so a limit shows before many requests have run into it, and an
endpoint without a limit is at full width a moment later.
"""

from grader.judges.llm.transport.settings import Concurrency


class AimdWindow:
    """Width of the window of one endpoint. Time is an argument.

    Args:
        policy: Start, maximum and ramp.
    """

    def __init__(self, policy: Concurrency) -> None:
        self._policy = policy
        self.ramp_s = policy.ramp_s
        self._width = float(min(policy.start, policy.most))
        self._ramp_from: float | None = None
        self._ramping = policy.start < policy.most
        self._cut_at = float("-inf")

    @property
    def ramping(self) -> bool:
        """Whether the width still grows with time."""
        return self._ramping

    def width(self, now: float) -> int:
        """Requests that may be in flight; at least 1."""
        if self._ramping:
            self._ramp(now)
        return int(self._width)

    def succeeded(self, now: float, in_flight: int) -> None:
        """A request was answered; the width grows by one a round, if it was used."""
        if not self._ramping and in_flight + 1 >= self.width(now):
            self._width = min(self._policy.most, self._width + 1 / self._width)

    def throttled(self, now: float, launched: float, in_flight: int) -> None:
        """A request came back with a 429: halve, once for each round.

        Args:
            now: Time.
            launched: When that request left: before the last cut, it tells nothing new.
            in_flight: Requests in flight, that one included.
        """
        width = self.width(now)
        self._ramping = False
        if launched <= self._cut_at:
            return
        self._cut_at = now
        self._width = max(1.0, min(width, in_flight) / 2)

    def _ramp(self, now: float) -> None:
        if self._ramp_from is None:
            self._ramp_from = now
        grown = self._policy.start + (now - self._ramp_from) / self._policy.ramp_s
        self._width = float(min(self._policy.most, max(self._width, grown)))
        self._ramping = self._width < self._policy.most
