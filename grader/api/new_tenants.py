"""A new tenant: its quota, and the key of its admin."""

from grader.api.limits import define_quota
from grader.api.scopes import Scope
from grader.store.database import Database
from grader.store.keys import make_key
from grader.store.records.tenancy import Tenant


def add_tenant(database: Database, name: str, plan: str, pepper: bytes) -> tuple[Tenant, str]:
    """Adds a tenant; returns it with the text of its admin key, which is not kept."""
    made = make_key(pepper)
    with database.writing() as unit:
        tenant = unit.deployment.add_tenant(name, plan=plan)
        store = unit.of(tenant.id)
        define_quota(store, tenant)
        store.api_keys.add(made, name="admin", scopes=[Scope.ADMIN.value])
    return tenant, made.text
