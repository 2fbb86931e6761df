"""``grader admin keys``."""

from grader.cli.deployment import DataOption, TenantOption, chosen_tenant, opened_database


def command(data: DataOption = None, tenant: TenantOption = None) -> None:
    """List the keys of a tenant, latest first; their texts are not kept."""
    with opened_database(data) as database:
        owner = chosen_tenant(database, tenant)
        with database.reading() as unit:
            now = unit.now
            keys = unit.of(owner.id).api_keys.list(limit=200).items
        for key in keys:
            state = "live" if key.is_live(now) else "shut"
            kind = "test" if key.test else "    "
            print(f"{key.id}  {state}  {kind}  {','.join(key.scopes)}  {key.name}")
