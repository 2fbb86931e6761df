"""Whether the service lives, whether jobs can run, what it can do, and its figures."""

import hmac
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

import grader
from grader.api.auth import Principal, needs
from grader.api.problems import ApiError
from grader.api.sandboxes import runs_code
from grader.api.schemas.health import CapabilitiesOut, HealthOut, ReadinessOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.engine.port import Health
from grader.engine.queues import Pool
from grader.errors import ErrorCode

router = APIRouter(tags=["health"])
_LOOPBACK = frozenset({"127.0.0.1", "::1", "testclient"})
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz")
async def get_health() -> HealthOut:
    """The process answers."""
    return HealthOut(version=grader.__version__)


@router.get(
    "/readyz",
    response_model=ReadinessOut,
    responses={503: {"model": ReadinessOut, "description": "Jobs cannot run now."}},
)
def get_readiness(service: ServiceDep) -> Response:
    """200 where jobs can run: the database takes writes, and a process that judges lives."""
    found = service.engine.health()
    body = ReadinessOut(
        ready=found.ready,
        problem=found.problem,
        executors=found.executors,
        queued=found.queued,
        running=found.running,
        capabilities=_capabilities(service, found),
    )
    return JSONResponse(body.model_dump(mode="json"), 200 if found.ready else 503)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def get_metrics(request: Request, service: ServiceDep) -> Response:
    """Figures for Prometheus; from elsewhere only with the token GRADER_METRICS_KEY."""
    _demand_metrics_key(request, service)
    with service.database.reading() as unit:
        ages = {
            queue: (unit.now - since).total_seconds()
            for queue, since in unit.deployment.oldest_queued().items()
        }
    return Response(service.metrics.page(service.engine.health(), ages), media_type=_METRICS_TYPE)


@router.get("/v1/capabilities")
def get_capabilities(
    service: ServiceDep, _who: Annotated[Principal, needs(Scope.QUESTIONS_READ)]
) -> CapabilitiesOut:
    """What can be graded here now."""
    return _capabilities(service, service.engine.health())


def _capabilities(service: Service, found: Health) -> CapabilitiesOut:
    judges = service.capabilities.judges
    return CapabilitiesOut(
        answers=found.ready,
        sandbox_cpu=runs_code(found, Pool.SANDBOX_CPU),
        sandbox_gpu=runs_code(found, Pool.SANDBOX_GPU),
        speech=service.capabilities.speech,
        llm=any(name != "offline" for name in judges),
        judges=judges,
    )


def _demand_metrics_key(request: Request, service: Service) -> None:
    wanted = service.options.metrics_key
    if not wanted and request.client is not None and request.client.host in _LOOPBACK:
        return
    shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not wanted or not hmac.compare_digest(shown.encode(), wanted.encode()):
        raise ApiError(
            ErrorCode.UNAUTHENTICATED,
            "the figures are not for everybody",
            remedy="set GRADER_METRICS_KEY and send it as a bearer token",
            headers={"WWW-Authenticate": 'Bearer realm="metrics"'},
        )
