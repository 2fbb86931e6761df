"""The deployment that a command is about: its data folder or database, opened and closed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.cli.extras import needs_extra
from grader.errors import InputError
from grader.settings import Settings

if TYPE_CHECKING:
    from grader.engine.dbos_adapter.client import DbosClientEngine
    from grader.store.database import Database
    from grader.store.records.tenancy import Tenant

DataOption = Annotated[
    Path | None, typer.Option("--data", help="Data folder of the deployment; GRADER_DATA.")
]
TenantOption = Annotated[
    str | None, typer.Option("--tenant", help="Id of the tenant; the only one where absent.")
]


def settings_of(data: Path | None) -> Settings:
    """The settings of the deployment that a command names."""
    settings = Settings.from_environment()
    return settings if data is None else replace(settings, data_dir=data)


@contextmanager
def opened_database(data: Path | None) -> "Iterator[Database]":
    """The database of a deployment, its schema brought up.

    Raises:
        InputError: There is no deployment in that folder.
    """
    settings = settings_of(data)
    if not settings.database_url and not settings.data_dir.is_dir():
        raise InputError(
            f"no folder {str(settings.data_dir)!r}", remedy="give --data, or set GRADER_DATA"
        )
    with needs_extra("serve", "it reads the service's database"):
        from grader.engine.opening import migrate
        from grader.store.database import Database
    database = Database.of(settings)
    try:
        migrate(database)
        yield database
    finally:
        database.close()


@contextmanager
def opened_engine(data: Path | None) -> "Iterator[DbosClientEngine]":
    """An engine that asks about jobs and runs none."""
    with needs_extra("serve", "it reads the service's database"):
        from grader.engine.opening import open_client
    engine = open_client(settings_of(data))
    try:
        yield engine
    finally:
        engine.close()


def chosen_tenant(database: "Database", tenant_id: str | None) -> "Tenant":
    """The tenant of that id, or the only one.

    Raises:
        InputError: There are several, or none.
    """
    with database.reading() as unit:
        if tenant_id is not None:
            return unit.deployment.tenant(tenant_id)
        tenants = unit.deployment.tenants()
    if len(tenants) != 1:
        raise InputError(
            f"there are {len(tenants)} tenants", remedy="give --tenant; see `grader admin tenants`"
        )
    return tenants[0]
