"""What can go wrong in the sandbox, told apart by whose fault it is."""

from sandbox.outcome import Outcome


class SandboxError(Exception):
    """Base of every fault on our side.

    Args:
        message: What happened.
        remedy: What the reader can do about it.
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class SandboxUnavailable(SandboxError):  # noqa: N818  a state, not a fault
    """No backend that holds can be had; nothing is run."""


class InfraError(SandboxError):
    """Our side failed during a run; never charged to the submission."""


class RunEnded(BaseException):
    """The submission's run is over before its time.

    Not an `Exception`: neither a search engine's retry loop nor an `except Exception` may
    swallow it and go on asking a process that is dead.

    Args:
        outcome: What ended it.
        detail: One line on how.
    """

    def __init__(self, outcome: Outcome, detail: str) -> None:
        super().__init__(f"{outcome.value}: {detail}")
        self.outcome = outcome
        self.detail = detail
