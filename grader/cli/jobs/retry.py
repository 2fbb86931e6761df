"""``grader jobs retry``."""

from typing import Annotated

import typer

from grader.cli.deployment import DataOption, TenantOption, chosen_tenant, opened_engine


def command(
    job: Annotated[str, typer.Argument(help="Id of a job or of its submission.")],
    data: DataOption = None,
    tenant: TenantOption = None,
) -> None:
    """Queue a failed or cancelled job again, from its beginning."""
    with opened_engine(data) as engine:
        owner = chosen_tenant(engine.database, tenant)
        found = engine.retry(owner.id, job)
        print(f"{found.id}  {found.status}")
