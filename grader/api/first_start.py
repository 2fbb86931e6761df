"""The first start of a data folder: its tenant, and a key for whoever runs it."""

import os
from pathlib import Path

from grader.api.limits import define_quota
from grader.api.scopes import Scope
from grader.store.database import Database
from grader.store.keys import make_key

KEY_FILE = "admin.key"
_TENANT = "local"


def ensure_admin_key(database: Database, data_dir: Path, pepper: bytes) -> str | None:
    """Makes the first tenant and its admin key where no key was ever made.

    The key is written to ``admin.key`` in the data folder, readable by its owner only, before it
    is kept, so that a key that opens something is never lost.

    Returns:
        The key's text, to be shown once; None where keys exist.
    """
    with database.writing() as unit:
        if unit.deployment.has_keys():
            return None
        tenants = unit.deployment.tenants()
        tenant = tenants[0] if tenants else unit.deployment.add_tenant("Local", plan=_TENANT)
        store = unit.of(tenant.id)
        define_quota(store, tenant)
        made = make_key(pepper)
        _write(data_dir / KEY_FILE, made.text)
        store.api_keys.add(made, name="admin of the first start", scopes=[Scope.ADMIN.value])
    return made.text


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text + "\n")
    draft.replace(path)
