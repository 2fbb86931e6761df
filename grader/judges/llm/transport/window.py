"""How many requests may be in flight: additive increase, multiplicative decrease.

A fresh endpoint is met with a few requests and then one more every few milliseconds: a 429 answers
at once while a reply takes seconds, so a limit shows before many requests have run into it, and an
endpoint without a limit is at full width a moment later. Where a limit has shown, growth beyond
it is slow: each try costs a request.
"""

from grader.judges.llm.transport.settings import Concurrency

_ROUNDS_AT_CEILING = 8


class AimdWindow:
    """Width of the window of one endpoint. Time is an argument.

    Args:
        policy: Start, maximum and ramp.
    """

    def __init__(self, policy: Concurrency) -> None:
        self._policy = policy
        self.ramp_s = policy.ramp_s
        self._width = float(min(policy.start, policy.most))
        self._ceiling = float(policy.most)
        self._stepped_at: float | None = None
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
        if self._ramping or in_flight + 1 < self.width(now):
            return
        rounds = _ROUNDS_AT_CEILING if self._width >= self._ceiling else 1
        self._width = min(self._policy.most, self._width + 1 / (self._width * rounds))

    def throttled(self, now: float, launched: float, in_flight: int) -> None:
        """A request came back with a 429: halve, once for each round.

        Args:
            now: Time.
            launched: When that request left: before the last cut, it belongs to that round.
            in_flight: Requests in flight, that one included.
        """
        taken = min(self._width, in_flight)
        self._ramping = False
        if launched > self._cut_at:
            self._cut_at = now
            self._ceiling = self._width = taken
        # Within a round nothing is halved twice, but as its refusals come in it shows how many
        # requests the endpoint had really taken.
        self._ceiling = min(self._ceiling, max(1.0, in_flight - 1.0))
        self._width = min(self._width, max(1.0, in_flight / 2))

    def _ramp(self, now: float) -> None:
        """One more at most each time it is asked: a busy loop must not turn time into a burst."""
        if self._stepped_at is None:
            # The first requests need a moment to get out and, maybe, be refused.
            self._stepped_at = now + self._policy.settle_s
        elif now - self._stepped_at >= self._policy.ramp_s:
            self._stepped_at = now
            self._width += 1
        self._ramping = self._width < self._policy.most
