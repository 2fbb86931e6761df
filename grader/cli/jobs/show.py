"""``grader jobs show``."""

import json
from typing import Annotated

import typer

from grader.cli.deployment import DataOption, TenantOption, chosen_tenant, opened_engine


def command(
    job: Annotated[str, typer.Argument(help="Id of a job or of its submission.")],
    data: DataOption = None,
    tenant: TenantOption = None,
) -> None:
    """Show a job and what happened to it."""
    with opened_engine(data) as engine:
        owner = chosen_tenant(engine.database, tenant)
        found = engine.status(owner.id, job)
        print(f"{found.id}  {found.status}  {found.stage or found.cause}".rstrip())
        print(f"submission {found.submission_id}, judge {found.judge}, queue {found.queue}")
        for event in engine.events(owner.id, job):
            data_text = json.dumps(dict(event.data), sort_keys=True)
            print(f"{event.seq:>4}  {event.at:%H:%M:%S.%f}  {event.kind:<9}  {data_text}")
