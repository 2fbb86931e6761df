"""What can go wrong between the service and its database."""

from grader.errors import ErrorCode, FaultError, GraderError, InputError


class StoreError(GraderError):
    """Base of the errors of the store."""


class NotFoundError(StoreError, InputError):
    """There is nothing of that id, or it belongs to another tenant."""

    code = ErrorCode.NOT_FOUND

    def __init__(self, noun: str, identifier: str) -> None:
        super().__init__(
            f"no {noun} {identifier!r}", remedy="check the id; it may belong to somebody else"
        )


class ConflictError(StoreError, InputError):
    """What was asked for contradicts what is stored."""

    code = ErrorCode.CONFLICT


class StoreUnavailableError(StoreError, FaultError):
    """The database or the blob storage does not answer, or is not what it should be."""

    code = ErrorCode.STORE_UNAVAILABLE
