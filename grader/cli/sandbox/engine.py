"""The Docker engine as a client, and the sandbox's faults as the grader's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grader.cli.extras import needs_extra
from grader.errors import ErrorCode, FaultError
from sandbox.errors import SandboxError


class SandboxFaultError(FaultError):
    """The sandbox cannot be had or made."""

    code = ErrorCode.SANDBOX_UNAVAILABLE


@contextmanager
def engine() -> Iterator[Any]:
    """A client of the engine.

    Raises:
        SandboxFaultError: No engine answers, or what was asked of it failed.
    """
    with needs_extra("sandbox", "the docker SDK talks to the engine"):
        import docker
    try:
        client = docker.from_env()
        client.ping()
    except docker.errors.DockerException as error:
        raise SandboxFaultError(
            f"no Docker engine answers: {error}", remedy="start one, or use --backend bwrap"
        ) from error
    try:
        yield client
    except SandboxError as error:
        raise SandboxFaultError(error.message, remedy=error.remedy) from error
    finally:
        client.close()
