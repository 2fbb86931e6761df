"""Why a call brought no usable reply: one class a cause, all of them our own faults."""

from enum import StrEnum
from typing import TYPE_CHECKING

from grader.errors import ErrorCode, FaultError

if TYPE_CHECKING:
    from grader.judges.llm.transport.request import CompletionReply


class Cause(StrEnum):
    """Stable names of the causes; they stand in verdict reasons, ledger rows and reports.

    A cancelled call has no fault: its caller sees ``CancelledError``, its row the cause.
    """

    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    MALFORMED = "malformed"
    BUDGET = "budget"
    CIRCUIT_OPEN = "circuit_open"
    CANCELLED = "cancelled"
    BAD_REQUEST = "bad_request"
    CONFIG = "config"


class LlmFault(FaultError):  # noqa: N818 - a fault of ours, not an error of the caller
    """A call that brought no usable reply.

    Attributes:
        cause: Stable name.
        attempts: Requests sent before giving up.
        reply: What the model said, where it said something: truncated, refused and malformed
            replies are paid for and kept in the ledger.
        maybe_billed: The request went out and nobody knows whether the provider charges for it:
            the budget assumes the worst case.
    """

    cause: Cause
    code = ErrorCode.JUDGE_UNAVAILABLE
    maybe_billed = False

    def __init__(
        self, message: str, *, remedy: str = "", reply: "CompletionReply | None" = None
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.attempts = 0
        self.reply = reply


class RetryableFault(LlmFault):
    """One that another request may cure."""


class RateLimitedFault(RetryableFault):
    """The provider answered 429.

    Attributes:
        retry_after: Seconds the provider asked for; None where it did not say.
    """

    cause = Cause.RATE_LIMITED

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ServerErrorFault(RetryableFault):
    """The provider answered 5xx, a 200 with an error body, or something that is no completion."""

    cause = Cause.SERVER_ERROR


class ConnectionFault(RetryableFault):
    """No connection, or one that broke before the reply was whole."""

    cause = Cause.CONNECTION

    def __init__(self, message: str, *, connected: bool = True) -> None:
        super().__init__(message)
        self.maybe_billed = connected


class TimeoutFault(RetryableFault):
    """No whole reply within the time of one request, or within the deadline of the answer."""

    cause = Cause.TIMEOUT
    maybe_billed = True


class ModeRefusedFault(LlmFault):
    """The endpoint does not know the structured-output mode; the next one may work."""

    cause = Cause.BAD_REQUEST


class ReplyFault(LlmFault):
    """The model answered and the answer cannot be used."""


class TruncatedFault(ReplyFault):
    """The reply ran into the limit of output tokens."""

    cause = Cause.TRUNCATED


class RefusedFault(ReplyFault):
    """The model or the provider's filter declined."""

    cause = Cause.REFUSED


class MalformedFault(ReplyFault):
    """A JSON object was asked for and there is none in the reply."""

    cause = Cause.MALFORMED


class BudgetFault(LlmFault):
    """The worst case of the call does not fit the budget; nothing was sent."""

    cause = Cause.BUDGET
    code = ErrorCode.BUDGET_EXCEEDED


class CircuitOpenFault(LlmFault):
    """The endpoint is known to be down; nothing was sent."""

    cause = Cause.CIRCUIT_OPEN


class BadRequestFault(LlmFault):
    """The provider rejects the request as it stands; retrying cannot help."""

    cause = Cause.BAD_REQUEST
    code = ErrorCode.BAD_INPUT


class ConfigFault(LlmFault):
    """A wrong model name, key or address; a person must act."""

    cause = Cause.CONFIG
    code = ErrorCode.BAD_INPUT


REPLY_FAULTS: dict[str, type[ReplyFault]] = {
    str(fault.cause): fault for fault in (TruncatedFault, RefusedFault, MalformedFault)
}
"""Faults that a ledger row replays, by its outcome."""
