"""``grader admin tenants``."""

from grader.cli.deployment import DataOption, opened_database


def command(data: DataOption = None) -> None:
    """List the tenants in the order they came."""
    with opened_database(data) as database:
        with database.reading() as unit:
            tenants = unit.deployment.tenants()
        for tenant in tenants:
            print(f"{tenant.id}  {tenant.plan:<9}  {tenant.created_at:%Y-%m-%d}  {tenant.name}")
