"""Addresses below ``/v1`` that nothing answers: a problem, never a page of something else."""

from collections.abc import Iterable

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route

_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


def unknown_router(routes: Iterable[BaseRoute]) -> APIRouter:
    """Answers what none of the routes does; included after them."""
    known = [route for route in routes if isinstance(route, Route)]
    router = APIRouter()

    @router.api_route("/v1", methods=_METHODS, include_in_schema=False)
    @router.api_route("/v1/{rest:path}", methods=_METHODS, include_in_schema=False)
    @router.api_route("/healthz", methods=_METHODS, include_in_schema=False)
    @router.api_route("/readyz", methods=_METHODS, include_in_schema=False)
    @router.api_route("/metrics", methods=_METHODS, include_in_schema=False)
    @router.api_route("/healthz/{rest:path}", methods=_METHODS, include_in_schema=False)
    @router.api_route("/readyz/{rest:path}", methods=_METHODS, include_in_schema=False)
    @router.api_route("/metrics/{rest:path}", methods=_METHODS, include_in_schema=False)
    async def unknown(request: Request) -> None:
        """404, or 405 with the methods that the address takes."""
        allowed: set[str] = set()
        for route in known:
            match, _ = route.matches(request.scope)
            if match is not Match.NONE:
                allowed |= route.methods or set()
        if allowed:
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))})
        raise HTTPException(404)

    return router
