"""``grader jobs cancel``."""

from typing import Annotated

import typer

from grader.cli.deployment import DataOption, TenantOption, chosen_tenant, opened_engine


def command(
    job: Annotated[str, typer.Argument(help="Id of a job or of its submission.")],
    data: DataOption = None,
    tenant: TenantOption = None,
) -> None:
    """End a job without a grade; its model call and container stop."""
    with opened_engine(data) as engine:
        owner = chosen_tenant(engine.database, tenant)
        found = engine.cancel(owner.id, job)
        print(f"{found.id}  {found.status}")
