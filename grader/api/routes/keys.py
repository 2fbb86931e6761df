"""API keys: making, listing, rotating and revoking them."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Response

from grader.api.auth import Principal, needs
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import ApiError, bad_field
from grader.api.schemas.keys import KeyIn, KeyOut, NewKeyOut, RotateIn
from grader.api.scopes import EVERYTHING, Scope
from grader.api.service import ServiceDep
from grader.errors import ErrorCode
from grader.store.errors import NotFoundError
from grader.store.keys import make_key
from grader.store.records.tenancy import ApiKey

router = APIRouter(tags=["keys"])
Keeper = Annotated[Principal, needs(Scope.KEYS_WRITE)]


@router.get("/v1/keys")
def list_keys(service: ServiceDep, who: Keeper, place: PlaceDep) -> Listing[KeyOut]:
    """Keys of the tenant, revoked ones too."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).api_keys.list(cursor=place.cursor, limit=place.limit)
    return Listing(items=tuple(_out(key) for key in page.items), next_cursor=page.next_cursor)


@router.post("/v1/keys", status_code=201)
def create_key(given: KeyIn, service: ServiceDep, who: Keeper, response: Response) -> NewKeyOut:
    """Makes a key. Its text is shown this once and is not kept; so the reply is not repeatable."""
    _demand_own(who, given.scopes)
    made = make_key(service.pepper, test=given.test or who.test)
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        if given.user_id is not None:
            try:
                store.users.get(given.user_id)
            except NotFoundError as error:
                raise bad_field("/user_id", error.message) from error
        key = store.api_keys.add(
            made,
            name=given.name,
            scopes=[scope.value for scope in given.scopes],
            user_id=given.user_id,
            expires_at=unit.now + timedelta(days=given.days) if given.days else None,
        )
    response.headers["Location"] = f"/v1/keys/{key.id}"
    return NewKeyOut(**_out(key).model_dump(), key=made.text)


@router.get("/v1/keys/{key_id}")
def get_key(key_id: IdPath, service: ServiceDep, who: Keeper) -> KeyOut:
    """What is known of a key."""
    with service.database.reading() as unit:
        return _out(unit.of(who.tenant_id).api_keys.get(key_id))


@router.post("/v1/keys/{key_id}:rotate", status_code=201)
def rotate_key(
    key_id: IdPath, given: RotateIn, service: ServiceDep, who: Keeper, response: Response
) -> NewKeyOut:
    """Makes a successor with the same rights; the old key works until the overlap is over."""
    with service.database.writing() as unit:
        keys = unit.of(who.tenant_id).api_keys
        old = keys.get(key_id)
        _demand_own(who, {Scope(word) for word in old.scopes if word in EVERYTHING})
        made = make_key(service.pepper, test=old.test)
        key = keys.rotate(key_id, made, timedelta(hours=given.overlap_hours))
    response.headers["Location"] = f"/v1/keys/{key.id}"
    return NewKeyOut(**_out(key).model_dump(), key=made.text)


@router.delete("/v1/keys/{key_id}", status_code=204)
def revoke_key(key_id: IdPath, service: ServiceDep, who: Keeper) -> None:
    """Shuts a key at once."""
    with service.database.writing() as unit:
        unit.of(who.tenant_id).api_keys.revoke(key_id)


def _demand_own(who: Principal, scopes: "frozenset[Scope] | set[Scope]") -> None:
    """Nobody gives away rights that they do not have."""
    beyond = sorted(scope.value for scope in scopes if scope not in who.scopes)
    if beyond:
        raise ApiError(
            ErrorCode.FORBIDDEN,
            f"this key cannot give the scope {beyond[0]!r}, which it lacks",
            remedy="ask an admin",
        )


def _out(key: ApiKey) -> KeyOut:
    return KeyOut(
        id=key.id,
        name=key.name,
        scopes=key.scopes,
        test=key.test,
        user_id=key.user_id,
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        last_used_at=key.last_used_at,
        successor_id=key.successor_id,
    )
