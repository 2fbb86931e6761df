"""The person at this machine: learner and instructor of the pages, not admin.

Where the service listens on loopback only, whoever opens the pages is this person. The pages get a
key at each start; the one before is shut.
"""

from grader.api.scopes import ROLE_SCOPES
from grader.store.database import Database
from grader.store.keys import make_key
from grader.store.records.tenancy import Role, User
from grader.store.unit import TenantStore

_EXTERNAL_ID = "local-person"
_KEY_NAME = "pages of this machine"
_ROLES = (Role.LEARNER, Role.INSTRUCTOR)


def new_pages_key(database: Database, pepper: bytes) -> str:
    """Makes the key of the pages in the first tenant; returns its text."""
    made = make_key(pepper)
    with database.writing() as unit:
        store = unit.of(unit.deployment.tenants()[0].id)
        person = _person(store)
        for key in store.api_keys.list(limit=200).items:
            if key.name == _KEY_NAME and key.is_live(unit.now):
                store.api_keys.revoke(key.id)
        scopes = sorted({scope.value for role in _ROLES for scope in ROLE_SCOPES[role]})
        store.api_keys.add(made, name=_KEY_NAME, scopes=scopes, user_id=person.id)
    return made.text


def _person(store: TenantStore) -> User:
    found = store.users.find(external_id=_EXTERNAL_ID)
    return found or store.users.add("You", roles=_ROLES, external_id=_EXTERNAL_ID)
