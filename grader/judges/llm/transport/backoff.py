"""When to send a request again, if at all."""

import random
from dataclasses import dataclass

from grader.judges.llm.transport.faults import LlmFault, RateLimitedFault, TimeoutFault
from grader.judges.llm.transport.settings import RetryPolicy


@dataclass
class Retries:
    """The retries of one call; counts, and tells the delay before the next request.

    Args:
        policy: Bounds and delays.
        rng: Source of the jitter.
    """

    policy: RetryPolicy
    rng: random.Random

    def __post_init__(self) -> None:
        self._faults = 0
        self._timeouts = 0
        self._rate_limits = 0

    def delay(self, fault: LlmFault) -> float | None:
        """Seconds until the next request; None where there is none to be."""
        if isinstance(fault, RateLimitedFault):
            return self._after_rate_limit(fault)
        if isinstance(fault, TimeoutFault):
            self._timeouts += 1
            if self._timeouts > self.policy.timeouts:
                return None
        self._faults += 1
        if self._faults > self.policy.faults:
            return None
        return self._jittered(self._faults)

    def _after_rate_limit(self, fault: RateLimitedFault) -> float | None:
        self._rate_limits += 1
        if self._rate_limits > self.policy.rate_limits:
            return None
        if fault.retry_after is None:
            return self._jittered(self._rate_limits)
        # Never sooner than asked; the jitter keeps callers from coming back in one burst.
        return fault.retry_after + self.rng.uniform(0, 0.1) * max(fault.retry_after, 0.1)

    def _jittered(self, turn: int) -> float:
        longest = min(self.policy.most_s, self.policy.base_s * 2.0 ** (turn - 1))
        return longest * self.rng.uniform(0.5, 1.0)
