"""``grader admin add-key``."""

from datetime import timedelta
from typing import Annotated

import typer

from grader.cli.deployment import (
    DataOption,
    TenantOption,
    chosen_tenant,
    opened_database,
    settings_of,
)
from grader.errors import InputError


def command(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scope: Annotated[list[str], typer.Option(help="A right; repeatable.")],
    test: Annotated[bool, typer.Option(help="Always gets the offline judge.")] = False,
    days: Annotated[int | None, typer.Option(help="Until it expires.", min=1)] = None,
    user: Annotated[str | None, typer.Option(help="Id of the person whose key it is.")] = None,
    data: DataOption = None,
    tenant: TenantOption = None,
) -> None:
    """Make a key; its text is printed once and not kept."""
    with opened_database(data) as database:
        from grader.api.scopes import EVERYTHING
        from grader.store.keys import make_key

        unknown = sorted(word for word in scope if word not in EVERYTHING)
        if unknown:
            raise InputError(
                f"--scope: there is no scope {unknown[0]!r}",
                remedy=f"use {', '.join(sorted(EVERYTHING))}",
            )
        owner = chosen_tenant(database, tenant)
        made = make_key(settings_of(data).secret_bytes(), test=test)
        with database.writing() as unit:
            store = unit.of(owner.id)
            if user is not None:
                store.users.get(user)
            expires_at = unit.now + timedelta(days=days) if days else None
            store.api_keys.add(made, name=name, scopes=scope, user_id=user, expires_at=expires_at)
    print(f"key, shown this once: {made.text}")
