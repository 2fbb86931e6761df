"""Errors as problem documents (RFC 9457): one shape for everything that goes wrong."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from grader.api.schemas.problems import Fault, Problem
from grader.errors import ErrorCode, GraderError

MEDIA_TYPE = "application/problem+json"
MOST_FAULTS = 20
_TYPE = "urn:grader:problem:"
_log = structlog.get_logger("grader.api")

STATUS: dict[ErrorCode, int] = {
    ErrorCode.BAD_INPUT: 422,
    ErrorCode.RUBRIC_INVALID: 422,
    ErrorCode.QUESTION_UNKNOWN: 404,
    ErrorCode.EXERCISE_INVALID: 422,
    ErrorCode.SUBMISSION_INVALID: 422,
    ErrorCode.EXTRA_MISSING: 503,
    ErrorCode.JUDGE_UNAVAILABLE: 503,
    ErrorCode.BUDGET_EXCEEDED: 429,
    ErrorCode.SANDBOX_UNAVAILABLE: 503,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.CONFLICT: 409,
    ErrorCode.STORE_UNAVAILABLE: 503,
    ErrorCode.ENGINE_UNAVAILABLE: 503,
    ErrorCode.SPEECH_UNAVAILABLE: 503,
    ErrorCode.UNAUTHENTICATED: 401,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.HOST_REFUSED: 421,
    ErrorCode.ORIGIN_REFUSED: 403,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.BODY_MALFORMED: 400,
    ErrorCode.BODY_TOO_LARGE: 413,
    ErrorCode.MEDIA_TYPE_UNSUPPORTED: 415,
    ErrorCode.KEY_REUSED: 422,
    ErrorCode.KEY_IN_USE: 409,
    ErrorCode.PRECONDITION_FAILED: 412,
    ErrorCode.PRECONDITION_REQUIRED: 428,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.NOT_RELEASED: 403,
    ErrorCode.INTERNAL: 500,
}
TITLES: dict[int, str] = {
    400: "The request cannot be read",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Not a method of this address",
    409: "In conflict with what is stored",
    412: "Changed in between",
    413: "Too large",
    415: "Not a media type that is read here",
    421: "Not a name of this service",
    422: "The request says something that cannot be used",
    428: "A condition is required",
    429: "Too many requests",
    500: "A fault of ours",
    503: "Not available now",
}
_CODE_OF_STATUS = {
    400: ErrorCode.BODY_MALFORMED,
    404: ErrorCode.NOT_FOUND,
    405: ErrorCode.METHOD_NOT_ALLOWED,
    413: ErrorCode.BODY_TOO_LARGE,
    415: ErrorCode.MEDIA_TYPE_UNSUPPORTED,
}


class ApiError(GraderError):
    """A request that is answered with a problem.

    Args:
        code: Its status goes by it.
        message: What is wrong.
        remedy: What to do about it.
        faults: Where in the request, if it can be told.
        headers: Of the reply.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        remedy: str = "",
        faults: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.code = code
        self.faults = tuple(faults)
        self.headers = dict(headers or {})


def bad_field(pointer: str, detail: str, *, remedy: str = "") -> ApiError:
    """An error about one field of a request."""
    return ApiError(
        ErrorCode.BAD_INPUT,
        f"{pointer}: {detail}",
        remedy=remedy,
        faults=[Fault(pointer=f"#{pointer}", detail=detail)],
    )


def problem_of(error: GraderError, request_id: str = "") -> Problem:
    """The problem document of an error."""
    status = STATUS.get(error.code, 500)
    return Problem(
        type=_TYPE + error.code.value,
        title=TITLES.get(status, "Error"),
        status=status,
        code=error.code,
        detail=storable(error.message),
        remedy=storable(error.remedy),
        request_id=request_id,
        errors=error.faults if isinstance(error, ApiError) else (),
    )


def reply_of(error: GraderError, request_id: str = "") -> JSONResponse:
    """The reply that tells an error."""
    problem = problem_of(error, request_id)
    headers = error.headers if isinstance(error, ApiError) else {}
    if problem.status == 503:
        headers = {"Retry-After": "5", **headers}
    return JSONResponse(
        problem.model_dump(mode="json"), problem.status, headers, media_type=MEDIA_TYPE
    )


def storable(text: str) -> str:
    """A text that can be sent: lone surrogates replaced, and not too long."""
    return text.encode("utf-8", "replace").decode("utf-8")[:1000]


def faults_of(errors: Iterable[Any], *, prefix: str = "") -> list[Fault]:
    """Validation errors of pydantic as faults, the first few of them.

    What was given is left out: it may be an answer.
    """
    found: list[Fault] = []
    for item in errors:
        pointer = prefix + "".join(f"/{_escaped(step)}" for step in _steps(item["loc"]))
        found.append(Fault(pointer=f"#{pointer}", detail=storable(str(item["msg"]))[:300]))
        if len(found) == MOST_FAULTS:
            break
    return found


def invalid(faults: Sequence[Fault]) -> ApiError:
    """The error of a request with faults."""
    first = faults[0] if faults else Fault(pointer="#", detail="cannot be used")
    return ApiError(
        ErrorCode.BAD_INPUT,
        f"{first.pointer}: {first.detail}",
        remedy="mend what `errors` lists",
        faults=faults,
    )


def add_problem_handlers(app: FastAPI) -> None:
    """Has an application answer every error with a problem."""

    @app.exception_handler(GraderError)
    async def on_grader_error(request: Request, error: GraderError) -> JSONResponse:
        if STATUS.get(error.code, 500) >= 500:
            _log.error("fault", code=error.code.value, detail=error.message)
        return reply_of(error, request_id_of(request))

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        malformed = any(item["type"] == "json_invalid" for item in error.errors())
        faults = faults_of(error.errors())
        told = (
            ApiError(ErrorCode.BODY_MALFORMED, "the body is no JSON", faults=faults)
            if malformed
            else invalid(faults)
        )
        return reply_of(told, request_id_of(request))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> JSONResponse:
        code = _CODE_OF_STATUS.get(error.status_code, ErrorCode.BAD_INPUT)
        headers = dict(error.headers or {})
        told = ApiError(code, _told(request, error), headers=headers)
        return reply_of(told, request_id_of(request))


def request_id_of(request: Request) -> str:
    """The id of a request, as its reply's header says it."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def _told(request: Request, error: HTTPException) -> str:
    path = storable(request.url.path)[:200]
    match error.status_code:
        case 404:
            return f"nothing is at {path}"
        case 405:
            return f"{path} does not take {request.method}"
    return str(error.detail)


def _steps(loc: Iterable[str | int]) -> list[str | int]:
    """Where in the request; the variants that were tried are no part of it."""
    steps = [step for step in loc if not (isinstance(step, str) and step.startswith("variant:"))]
    return steps[1:] if steps and steps[0] in ("body", "query", "path", "header") else steps


def _escaped(step: str | int) -> str:
    return storable(str(step))[:100].replace("~", "~0").replace("/", "~1")
