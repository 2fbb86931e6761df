"""What can go wrong in running jobs."""

from grader.errors import ErrorCode, FaultError, GraderError


class EngineError(GraderError):
    """Base of the errors of the engine."""


class EngineUnavailableError(EngineError, FaultError):
    """Jobs cannot run here."""

    code = ErrorCode.ENGINE_UNAVAILABLE


class JobFaultError(EngineError, FaultError):
    """A fault of ours that ends a job without a grade.

    Args:
        cause: Stable word, kept with the job.
        message: What happened, without a word of the answer.
    """

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause
