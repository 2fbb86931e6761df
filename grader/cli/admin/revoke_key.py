"""``grader admin revoke-key``."""

from typing import Annotated

import typer

from grader.cli.deployment import DataOption, TenantOption, chosen_tenant, opened_database


def command(
    key: Annotated[str, typer.Argument(help="Id of the key, not its text.")],
    data: DataOption = None,
    tenant: TenantOption = None,
) -> None:
    """Shut a key at once."""
    with opened_database(data) as database:
        owner = chosen_tenant(database, tenant)
        with database.writing() as unit:
            unit.of(owner.id).api_keys.revoke(key)
    print(f"{key} opens nothing any more")
