"""Requests that a client may repeat: one deed and one reply for each Idempotency-Key."""

import hashlib
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from grader.api.problems import ApiError
from grader.errors import ErrorCode
from grader.store.records.operations import IdempotentReply
from grader.store.unit import TenantStore

REPLAYED = "Idempotency-Replayed"
KeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The same key with the same body is done once, and answered alike for 24 h.",
        pattern=r"^[\x21-\x7e]{1,200}$",
        examples=["7f1c0b5e-answer-17"],
    ),
]


class Reply(BaseModel):
    """What is kept of a reply."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str]

    def response(self, *, replayed: bool = False) -> Response:
        """As it is sent."""
        headers = {**self.headers, **({REPLAYED: "true"} if replayed else {})}
        return JSONResponse(self.body, self.status, headers)


class Once:
    """A request with its idempotency key, if it has one.

    Args:
        route: Method and path template.
        key: As the client chose it.
        digest: Of the body.
    """

    def __init__(self, route: str, key: str | None, digest: str) -> None:
        self._route = route
        self._key = key
        self._digest = digest

    def do(self, store: TenantStore, deed: Callable[[], Reply]) -> tuple[Reply, bool]:
        """Does something, or finds that it was done: in one transaction with the deed.

        Returns:
            The reply, and whether it is one of an earlier request.

        Raises:
            ApiError: The key was used with another body, or its request is still going on.
        """
        if self._key is None:
            return deed(), False
        kept = store.idempotency.begin(self._route, self._key, self._digest)
        if kept is not None:
            return self._again(kept), True
        reply = deed()
        store.idempotency.finish(
            self._route, self._key, reply.status, {"body": reply.body, "headers": reply.headers}
        )
        return reply, False

    def _again(self, kept: IdempotentReply) -> Reply:
        if kept.body_hash != self._digest:
            raise ApiError(
                ErrorCode.KEY_REUSED,
                "this Idempotency-Key was used with another body",
                remedy="use a fresh key for another request",
            )
        if kept.status is None or kept.response is None:
            raise ApiError(
                ErrorCode.KEY_IN_USE,
                "the first request with this Idempotency-Key is still going on",
                remedy="wait a second and repeat it",
                headers={"Retry-After": "1"},
            )
        return Reply(status=kept.status, **kept.response)


async def _once(request: Request, key: KeyHeader = None) -> Once:
    body = b"" if key is None else await request.body()
    return once(request, key, body)


def once(request: Request, key: str | None, *parts: bytes) -> Once:
    """A request whose body is given in parts, for bodies that were read as a stream."""
    digest = hashlib.sha256()
    for part in (request.url.path.encode(), request.url.query.encode(), *parts):
        digest.update(len(part).to_bytes(8) + part)
    template = getattr(request.scope.get("route"), "path", request.url.path)
    # The same key of two people is two keys: neither is answered with what the other was.
    person = request.state.principal.user_id or "tenant"
    return Once(f"{person} {request.method} {template}"[:100], key, digest.hexdigest())


OnceDep = Annotated[Once, Depends(_once)]
