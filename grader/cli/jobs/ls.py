"""``grader jobs ls``."""

from typing import Annotated

import typer

from grader.cli.deployment import DataOption, TenantOption, chosen_tenant, opened_engine
from grader.errors import InputError

_STATUSES = ("queued", "running", "done", "failed", "cancelled")


def command(
    data: DataOption = None,
    tenant: TenantOption = None,
    status: Annotated[str | None, typer.Option(help=f"One of {', '.join(_STATUSES)}.")] = None,
    limit: Annotated[int, typer.Option(help="Most jobs.", min=1, max=200)] = 50,
) -> None:
    """List jobs, latest first."""
    if status is not None and status not in _STATUSES:
        raise InputError(
            f"--status: there is no status {status!r}", remedy=f"use {', '.join(_STATUSES)}"
        )
    with opened_engine(data) as engine:
        from grader.store.records.grading import JobStatus

        owner = chosen_tenant(engine.database, tenant)
        wanted = JobStatus(status) if status else None
        for job in engine.list(owner.id, status=wanted, limit=limit).items:
            cause = f"  {job.cause}" if job.cause else ""
            when = f"{job.created_at:%Y-%m-%d %H:%M:%S}"
            print(f"{job.id}  {job.status:<9}  {job.queue:<8}  {when}{cause}")
