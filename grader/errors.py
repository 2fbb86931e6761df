"""Error hierarchy and the single registry of error codes.

Every error that a person can meet carries a stable code, so that documentation, logs and the
problem documents of the API name one thing by one word.
"""

from enum import StrEnum


class ErrorCode(StrEnum):
    """Stable, documented names of what can go wrong."""

    BAD_INPUT = "bad_input"
    RUBRIC_INVALID = "rubric_invalid"
    QUESTION_UNKNOWN = "question_unknown"
    EXERCISE_INVALID = "exercise_invalid"
    SUBMISSION_INVALID = "submission_invalid"
    EXTRA_MISSING = "extra_missing"
    JUDGE_UNAVAILABLE = "judge_unavailable"
    BUDGET_EXCEEDED = "budget_exceeded"
    SANDBOX_UNAVAILABLE = "sandbox_unavailable"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    STORE_UNAVAILABLE = "store_unavailable"
    ENGINE_UNAVAILABLE = "engine_unavailable"
    SPEECH_UNAVAILABLE = "speech_unavailable"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    HOST_REFUSED = "host_refused"
    ORIGIN_REFUSED = "origin_refused"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    BODY_MALFORMED = "body_malformed"
    BODY_TOO_LARGE = "body_too_large"
    MEDIA_TYPE_UNSUPPORTED = "media_type_unsupported"
    KEY_REUSED = "idempotency_key_reused"
    KEY_IN_USE = "idempotency_key_in_use"
    PRECONDITION_FAILED = "precondition_failed"
    PRECONDITION_REQUIRED = "precondition_required"
    RATE_LIMITED = "rate_limited"
    NOT_RELEASED = "not_released"
    INTERNAL = "internal"


class GraderError(Exception):
    """Base of every error this package raises on purpose.

    Args:
        message: What happened, naming the field and the value.
        remedy: What the reader can do about it.
    """

    code: ErrorCode = ErrorCode.INTERNAL

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class InputError(GraderError):
    """The caller gave something that cannot be used; retrying unchanged will not help."""

    code = ErrorCode.BAD_INPUT


class RubricError(InputError):
    """A question file does not follow the rubric format."""

    code = ErrorCode.RUBRIC_INVALID


class QuestionUnknownError(InputError):
    """No question of that id is in the bank."""

    code = ErrorCode.QUESTION_UNKNOWN


class ExtraMissingError(InputError):
    """A feature was asked for whose optional packages are not installed."""

    code = ErrorCode.EXTRA_MISSING


class FaultError(GraderError):
    """Something on our side failed; never charged to the learner."""
