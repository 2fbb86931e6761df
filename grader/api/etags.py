"""Entity tags: what a client has seen, and whether that still holds."""

import hashlib
from typing import Annotated

from fastapi import Header, Request
from fastapi.responses import Response
from pydantic import BaseModel

from grader.api.problems import ApiError
from grader.errors import ErrorCode

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The ETag that was read; `*` for a first writing.",
        pattern=r'^(\*|"[\x21\x23-\x7e]{1,100}")$',
        examples=['"sha256:0f3a"'],
    ),
]


def tagged(request: Request, body: BaseModel, *, headers: dict[str, str] | None = None) -> Response:
    """A reply with the tag of its content; 304 without content where the client has it."""
    content = body.model_dump_json().encode()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    known = request.headers.get("If-None-Match", "")
    given = {"ETag": tag, **(headers or {})}
    if tag in (item.strip().removeprefix("W/") for item in known.split(",")):
        return Response(status_code=304, headers=given)
    return Response(content, media_type="application/json", headers=given)


def seen_version(if_match: str | None) -> str | None:
    """The version that a writer has seen; None for a first writing (``*``).

    Raises:
        ApiError: The header is missing.
    """
    if if_match is None:
        raise ApiError(
            ErrorCode.PRECONDITION_REQUIRED,
            "If-Match is missing",
            remedy='read first and send its ETag; send If-Match: "*" for something new',
        )
    return None if if_match == "*" else if_match.strip('"')
