"""What goes wrong, in replies."""

from pydantic import BaseModel, ConfigDict, Field

from grader.errors import ErrorCode


class Fault(BaseModel):
    """One thing wrong with a request; ``pointer`` (RFC 6901) says where."""

    model_config = ConfigDict(frozen=True)

    pointer: str = Field(examples=["#/text"])
    detail: str = Field(examples=["is missing"])


class Problem(BaseModel):
    """What went wrong, by a stable ``code``, and what to do about it."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:grader:problem:not_found",
                    "title": "Not found",
                    "status": 404,
                    "code": "not_found",
                    "detail": "no submission 'sub_0'",
                    "remedy": "check the id; it may belong to somebody else",
                    "request_id": "req_06f3q8",
                    "errors": [],
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    code: ErrorCode
    detail: str
    remedy: str = ""
    request_id: str = ""
    errors: tuple[Fault, ...] = ()
