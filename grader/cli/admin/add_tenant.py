"""``grader admin add-tenant``."""

from typing import Annotated

import typer

from grader.cli.deployment import DataOption, opened_database, settings_of
from grader.errors import InputError


def command(
    name: Annotated[str, typer.Argument(help="Name of the customer.")],
    plan: Annotated[str, typer.Option(help="Plan, which sets the quota.")] = "standard",
    data: DataOption = None,
) -> None:
    """Add a tenant and make its admin key, which is printed once."""
    settings = settings_of(data)
    with opened_database(data) as database:
        from grader.api.limits import PLANS
        from grader.api.new_tenants import add_tenant

        if plan not in PLANS:
            raise InputError(f"--plan: there is no plan {plan!r}", remedy=f"use {', '.join(PLANS)}")
        tenant, key = add_tenant(database, name, plan, settings.secret_bytes())
    print(f"tenant {tenant.id}")
    print(f"admin key, shown this once: {key}")
