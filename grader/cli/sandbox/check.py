"""``grader sandbox check``."""

from typing import Annotated, Literal, cast

import typer

from grader.cli.sandbox.engine import SandboxFaultError
from grader.errors import InputError
from sandbox.errors import SandboxError

BACKENDS = ("docker", "bwrap")


def backend_name(given: str | None) -> Literal["docker", "bwrap"] | None:
    """The backend asked for.

    Raises:
        InputError: There is no such backend.
    """
    if given is not None and given not in BACKENDS:
        raise InputError(f"--backend: no backend {given!r}", remedy=f"use {' or '.join(BACKENDS)}")
    return cast('Literal["docker", "bwrap"] | None', given)


def command(
    backend: Annotated[str | None, typer.Option(help="docker or bwrap; both by default.")] = None,
    runtime: Annotated[str | None, typer.Option(help="Docker runtime, e.g. runsc.")] = None,
) -> None:
    """Prove every limit and print what held. Exit status 3 where no backend holds."""
    from sandbox.pool import open_pool

    wanted = backend_name(backend)
    failed = []
    for name in (wanted,) if wanted else ("docker", "bwrap"):
        try:
            with open_pool(name, runtime=runtime if name == "docker" else None) as pool:
                print(f"{name}: every limit holds")
                for proof in pool.proofs:
                    print(f"  {proof}")
        except SandboxError as error:
            failed.append(name)
            print(f"{name}: refused: {error}")
    if len(failed) == (1 if wanted else len(BACKENDS)):
        raise SandboxFaultError("no backend holds its limits; nothing would be run")
