"""Who asks: the key a client shows, the tenant it belongs to, and what it allows."""

import time
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer, SecurityScopes

from grader.api.problems import ApiError
from grader.api.scopes import Scope, effective_scopes
from grader.api.service import Service, service_of
from grader.errors import ErrorCode
from grader.store.errors import NotFoundError
from grader.store.keys import KeyFormatError, PresentedKey, read_key
from grader.store.records.tenancy import ApiKey, Role
from grader.store.unit import Unit

_TOUCH_EVERY_S = 60.0
_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="key",
    description="An API key: `Authorization: Bearer grd_live_...`.",
)
_touched: dict[str, float] = {}


@dataclass(frozen=True)
class Principal:
    """On whose behalf a request is made.

    Attributes:
        user_id: The person whose key it is; None for a key of the tenant itself.
        test: Whether everything is graded by the offline judge.
    """

    tenant_id: str
    key_id: str
    user_id: str | None
    test: bool
    scopes: frozenset[Scope]

    def may(self, scope: Scope) -> bool:
        """Whether that right is there."""
        return scope in self.scopes

    @property
    def sees_grades(self) -> bool:
        """Whether everybody's submissions and whole grades may be seen."""
        return Scope.GRADES_READ in self.scopes

    @property
    def author(self) -> str:
        """Id under which something written is kept."""
        return self.user_id or self.key_id


def authenticated(
    request: Request,
    wanted: SecurityScopes,
    shown: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Principal:
    """Reads the key of a request and demands its scopes.

    Raises:
        ApiError: No key, none that opens anything, or one that does not allow this.
    """
    service = service_of(request)
    service.burst.demand(_caller(request, shown))
    if shown is None:
        raise _refused("no API key was shown")
    principal = _principal(service, _read(shown.credentials))
    missing = [scope for scope in wanted.scopes if scope not in principal.scopes]
    if missing:
        raise ApiError(
            ErrorCode.FORBIDDEN,
            f"this key lacks the scope {missing[0]!r}",
            remedy="use a key that has it, or ask an admin for one",
        )
    request.state.principal = principal
    return principal


def needs(*scopes: Scope) -> Any:
    """The dependency that demands a key with these scopes."""
    return Security(authenticated, scopes=[scope.value for scope in scopes])


def _principal(service: Service, presented: PresentedKey) -> Principal:
    with service.database.reading() as unit:
        key = unit.deployment.api_key(presented.id)
        # The comparison comes first: what a key is tells nobody who does not hold it.
        if key is None or not presented.opens(key.secret_hash, service.pepper):
            raise _refused("this key opens nothing")
        if key.test != presented.test or not key.is_live(unit.now):
            raise _refused("this key is revoked or expired")
        roles = _roles(unit, key)
    _touch(service, key)
    return Principal(
        tenant_id=key.tenant_id,
        key_id=key.id,
        user_id=key.user_id,
        test=key.test,
        scopes=effective_scopes(key.scopes, roles),
    )


def _roles(unit: Unit, key: ApiKey) -> frozenset[Role] | None:
    if key.user_id is None:
        return None
    try:
        user = unit.of(key.tenant_id).users.get(key.user_id)
    except NotFoundError:
        raise _refused("the person of this key is gone") from None
    if user.disabled_at is not None or user.erased_at is not None:
        raise _refused("the person of this key is shut out")
    return user.roles


def _touch(service: Service, key: ApiKey) -> None:
    now = time.monotonic()
    if now - _touched.get(key.id, -_TOUCH_EVERY_S) < _TOUCH_EVERY_S:
        return
    _touched[key.id] = now
    with service.database.writing() as unit:
        unit.of(key.tenant_id).api_keys.touch(key.id)


def _read(text: str) -> PresentedKey:
    try:
        return read_key(text)
    except KeyFormatError:
        raise _refused("this is no API key") from None


def _caller(request: Request, shown: HTTPAuthorizationCredentials | None) -> str:
    """By whom bursts are counted: the key's id, which is no secret, or the address."""
    if shown is not None and len(shown.credentials) < 200:
        return shown.credentials[:17]
    return request.client.host if request.client else "unknown"


def _refused(message: str) -> ApiError:
    return ApiError(
        ErrorCode.UNAUTHENTICATED,
        message,
        remedy="send Authorization: Bearer KEY with a live key",
        headers={"WWW-Authenticate": 'Bearer realm="grader"'},
    )
