"""``grader worker``."""

import signal
import threading
from typing import Annotated

import typer

from grader.cli.extras import needs_extra
from grader.errors import InputError
from grader.settings import Settings

_POOLS = ("live", "bulk", "sandbox-cpu", "sandbox-gpu", "webhook")


def command(
    pool: Annotated[
        list[str], typer.Option(help=f"Whose jobs it runs: {', '.join(_POOLS)}; repeatable.")
    ],
    cores: Annotated[
        int | None, typer.Option(help="Sandboxes at once; one a core where absent.", min=1)
    ] = None,
) -> None:
    """Run jobs of a deployment until told to stop."""
    unknown = [name for name in pool if name not in _POOLS]
    if unknown:
        raise InputError(
            f"--pool: there is no pool {unknown[0]!r}", remedy=f"use {', '.join(_POOLS)}"
        )
    settings = Settings.from_environment()
    with needs_extra("serve", "it takes jobs from a database"):
        from grader.api.logs import set_up_logs
        from grader.api.options import ApiOptions
        from grader.api.running import parts_of
        from grader.engine.opening import open_worker
        from grader.engine.queues import Pool
        from grader.store.database import Database
    set_up_logs()
    parts = parts_of(settings, ApiOptions.from_environment(), Database.of(settings))
    engine = open_worker(settings, tuple(Pool(name) for name in pool), parts=parts, cores=cores)
    typer.echo(f"running jobs of {', '.join(pool)}")
    try:
        _until_told().wait()
    finally:
        engine.close()


def _until_told() -> threading.Event:
    """An event that is set when the process is asked to end."""
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())
    return told
