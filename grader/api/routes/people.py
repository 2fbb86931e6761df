"""People of a tenant: adding them, their roles, and erasing what they gave."""

from typing import Annotated

from fastapi import APIRouter, Response

from grader.api.auth import Principal, needs
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import ApiError
from grader.api.schemas.teaching import RolesIn, UserIn, UserOut
from grader.api.scopes import ROLE_SCOPES, Scope
from grader.api.service import ServiceDep
from grader.engine.erasing import erase_learner
from grader.errors import ErrorCode
from grader.store.records.tenancy import Role, User

router = APIRouter(tags=["people"])
Reader = Annotated[Principal, needs(Scope.COHORTS_READ)]
Keeper = Annotated[Principal, needs(Scope.USERS_WRITE)]
Admin = Annotated[Principal, needs(Scope.ADMIN)]


@router.get("/v1/users")
def list_users(service: ServiceDep, who: Reader, place: PlaceDep) -> Listing[UserOut]:
    """People of the tenant, latest first."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).users.list(cursor=place.cursor, limit=place.limit)
    return Listing(items=tuple(user_out(u) for u in page.items), next_cursor=page.next_cursor)


@router.post("/v1/users", status_code=201)
def add_user(given: UserIn, service: ServiceDep, who: Keeper, response: Response) -> UserOut:
    """Adds a person; nobody gives a role that allows more than their own key."""
    _demand_own(who, given.roles)
    with service.database.writing() as unit:
        user = unit.of(who.tenant_id).users.add(
            given.name, roles=given.roles, email=given.email, external_id=given.external_id
        )
    response.headers["Location"] = f"/v1/users/{user.id}"
    return user_out(user)


@router.get("/v1/users/{user_id}")
def get_user(user_id: IdPath, service: ServiceDep, who: Reader) -> UserOut:
    """One person."""
    with service.database.reading() as unit:
        return user_out(unit.of(who.tenant_id).users.get(user_id))


@router.put("/v1/users/{user_id}/roles")
def set_roles(user_id: IdPath, given: RolesIn, service: ServiceDep, who: Keeper) -> UserOut:
    """Gives a person exactly these roles; keys of theirs follow at once."""
    _demand_own(who, given.roles)
    with service.database.writing() as unit:
        users = unit.of(who.tenant_id).users
        _demand_own(who, users.get(user_id).roles)
        users.set_roles(user_id, given.roles)
        return user_out(users.get(user_id))


@router.post("/v1/users/{user_id}:disable")
def disable_user(user_id: IdPath, service: ServiceDep, who: Keeper) -> UserOut:
    """Shuts a person out; what they did stays."""
    with service.database.writing() as unit:
        users = unit.of(who.tenant_id).users
        _demand_own(who, users.get(user_id).roles)
        users.disable(user_id)
        return user_out(users.get(user_id))


@router.delete("/v1/users/{user_id}", status_code=204)
def erase_user(user_id: IdPath, service: ServiceDep, who: Admin) -> None:
    """Erases what a person gave, recordings first; scores stay under a random person."""
    with service.database.reading() as unit:
        unit.of(who.tenant_id).users.get(user_id)
    erase_learner(service.engine, service.database, service.blobs, who.tenant_id, user_id)


def user_out(user: User) -> UserOut:
    """A person as they are sent."""
    return UserOut(
        id=user.id,
        name=user.name,
        email=user.email,
        external_id=user.external_id,
        roles=tuple(sorted(user.roles)),
        created_at=user.created_at,
        disabled_at=user.disabled_at,
    )


def _demand_own(who: Principal, roles: frozenset[Role]) -> None:
    beyond = sorted(role.value for role in roles if not ROLE_SCOPES[role] <= who.scopes)
    if beyond:
        raise ApiError(
            ErrorCode.FORBIDDEN,
            f"the role {beyond[0]!r} allows more than this key",
            remedy="ask an admin",
        )
