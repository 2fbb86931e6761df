"""Circuit breaker: an endpoint that is down is not asked, but for one probe now and then."""

from grader.judges.llm.transport.settings import CircuitPolicy


class Circuit:
    """State of one endpoint. Time is an argument.

    Args:
        policy: When to open and for how long.
    """

    def __init__(self, policy: CircuitPolicy) -> None:
        self._policy = policy
        self._failures = 0
        self._first_failure = 0.0
        self._open_until: float | None = None
        self._cooldown = policy.cooldown_s
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether requests are refused, probes apart."""
        return self._open_until is not None

    def blocks(self, now: float) -> bool:
        """Whether ``admit`` would refuse; changes nothing."""
        return self._open_until is not None and (self._probing or now < self._open_until)

    def admit(self, now: float) -> bool:
        """Whether a request may go out; when it is a probe, it is the only one."""
        if self.blocks(now):
            return False
        self._probing = self.is_open
        return True

    def succeeded(self) -> None:
        """The endpoint answered, be it with a 429 or a bad request."""
        self._failures = 0
        self._open_until = None
        self._probing = False
        self._cooldown = self._policy.cooldown_s

    def failed(self, now: float) -> None:
        """The endpoint did not answer, or with a server error."""
        if self._probing:
            self._probing = False
            self._cooldown = min(2 * self._cooldown, self._policy.most_cooldown_s)
            self._open_until = now + self._cooldown
            return
        if self._failures == 0:
            self._first_failure = now
        self._failures += 1
        if self._open_until is None and self._is_outage(now):
            self._open_until = now + self._cooldown

    def abandoned(self) -> None:
        """A request ended without telling anything, e.g. cancelled; the next may probe."""
        self._probing = False

    def _is_outage(self, now: float) -> bool:
        if self._failures >= self._policy.failures:
            return True
        long = now - self._first_failure >= self._policy.span_s
        return long and self._failures >= self._policy.few
