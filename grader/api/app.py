"""The application: the routes, the layer around them, and its description."""

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

import grader
from grader.api.door import Door
from grader.api.openapi import describe
from grader.api.problems import add_problem_handlers
from grader.api.routes import (
    assignments,
    attempts,
    cohorts,
    contests,
    follow_ups,
    grades,
    health,
    jobs,
    keys,
    people,
    questions,
    rubrics,
    spoken,
    submissions,
    usage,
    webhooks,
)
from grader.api.routes.unknown import unknown_router
from grader.api.service import Service

_ROUTERS = (
    submissions.router,
    spoken.router,
    follow_ups.router,
    grades.router,
    contests.router,
    jobs.router,
    questions.router,
    rubrics.router,
    attempts.router,
    people.router,
    cohorts.router,
    assignments.router,
    webhooks.router,
    usage.router,
    keys.router,
    health.router,
)


def create_app(service: Service) -> FastAPI:
    """Builds the application of a service; whoever opened the service closes it."""
    app = FastAPI(
        title="Interview grader",
        version=grader.__version__,
        summary="Grades interview answers and coding exercises against rubrics.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        middleware=_layers(service),
    )
    app.state.service = service
    add_problem_handlers(app)
    for router in _ROUTERS:
        app.include_router(router)
    describe(app)
    app.include_router(unknown_router(r for router in _ROUTERS for r in router.routes))
    return app


def _layers(service: Service) -> list[Middleware]:
    layers = [Middleware(Door, options=service.options, metrics=service.metrics)]
    if service.options.cors_origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=list(service.options.cors_origins),
                allow_methods=["GET", "POST", "PUT", "DELETE"],
                allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "If-Match"],
                expose_headers=["Location", "ETag", "Retry-After", "RateLimit", "X-Request-Id"],
            )
        )
    return layers
