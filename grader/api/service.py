"""What all routes share: the store, the engine, the bank, and who may come in how often."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from grader.api.catalogue import Catalogue
from grader.api.limits import Burst
from grader.api.metrics import Metrics
from grader.api.options import ApiOptions
from grader.engine.port import Engine
from grader.settings import Settings
from grader.store.blobs import BlobStore
from grader.store.database import Database


@dataclass(frozen=True)
class Capabilities:
    """What this deployment can do beyond grading typed answers.

    Attributes:
        speech: Whether recordings are recognised.
        judges: Names of the judges there are.
    """

    speech: bool = False
    judges: tuple[str, ...] = ("offline",)


@dataclass(frozen=True)
class Service:
    """One running API.

    Attributes:
        pepper: The deployment's secret; hashes of keys go by it.
    """

    settings: Settings
    options: ApiOptions
    engine: Engine
    database: Database
    blobs: BlobStore
    catalogue: Catalogue
    pepper: bytes
    capabilities: Capabilities = field(default_factory=Capabilities)
    metrics: Metrics = field(default_factory=Metrics)
    burst: Burst = field(default_factory=lambda: Burst(500))


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(service_of)]
