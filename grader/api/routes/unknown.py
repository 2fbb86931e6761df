"""Addresses below ``/v1`` that nothing answers: a problem, never a page of something else."""

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.routing import Match

router = APIRouter()
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


@router.api_route("/v1", methods=_METHODS, include_in_schema=False)
@router.api_route("/v1{rest:path}", methods=_METHODS, include_in_schema=False)
async def unknown(request: Request) -> None:
    """404, or 405 with the methods that the address takes.

    Raises:
        HTTPException: Always.
    """
    allowed: set[str] = set()
    for route in request.app.routes:
        match, _ = route.matches(request.scope)
        if match is Match.PARTIAL:
            allowed |= route.methods
    if allowed:
        raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))})
    raise HTTPException(404)
