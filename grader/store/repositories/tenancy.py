"""Queries on people and keys of a tenant."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, delete, select, update

from grader.store.errors import ConflictError
from grader.store.ids import new_id
from grader.store.keys import NewKey
from grader.store.records.tenancy import ApiKey, Role, User
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.tables.tenancy import ApiKeyRow, UserRoleRow, UserRow


class Users(Repository):
    """People of a tenant."""

    def add(
        self,
        name: str,
        *,
        roles: Iterable[Role],
        email: str | None = None,
        external_id: str | None = None,
        password_hash: str | None = None,
    ) -> User:
        """Adds a person.

        Raises:
            ConflictError: The e-mail address or external id is taken in this tenant.
        """
        self._refuse_taken(UserRow.email, "email", email)
        self._refuse_taken(UserRow.external_id, "external_id", external_id)
        row = self._add(
            UserRow(
                id=new_id("usr"),
                tenant_id=self._tenant_id,
                name=name,
                email=email,
                external_id=external_id,
                password_hash=password_hash,
                created_at=self._now,
            )
        )
        self.set_roles(row.id, roles)
        return self.get(row.id)

    def get(self, user_id: str) -> User:
        """The person of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return self._record(self._get(user_id))

    def find(self, *, email: str | None = None, external_id: str | None = None) -> User | None:
        """The person with that address or external id, if any."""
        statement = self._all()
        if email is not None:
            statement = statement.where(UserRow.email == email)
        if external_id is not None:
            statement = statement.where(UserRow.external_id == external_id)
        row = self._session.scalars(statement.limit(1)).one_or_none()
        return self._record(row) if row else None

    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[User]:
        """People, latest first."""
        return self._page(
            self._all(), UserRow.created_at, UserRow.id, self._record, cursor=cursor, limit=limit
        )

    def set_roles(self, user_id: str, roles: Iterable[Role]) -> None:
        """Gives a person exactly these roles."""
        self._get(user_id)
        self._session.execute(
            delete(UserRoleRow).where(
                UserRoleRow.tenant_id == self._tenant_id, UserRoleRow.user_id == user_id
            )
        )
        for role in set(roles):
            self._add(UserRoleRow(tenant_id=self._tenant_id, user_id=user_id, role=role.value))

    def set_password(self, user_id: str, password_hash: str) -> None:
        """Replaces the hash of a person's password."""
        self._get(user_id).password_hash = password_hash

    def disable(self, user_id: str) -> None:
        """Shuts a person out; what they did stays."""
        self._get(user_id).disabled_at = self._now

    def _get(self, user_id: str) -> UserRow:
        return self._row(self._all().where(UserRow.id == user_id), "user", user_id)

    def _all(self) -> Select[UserRow]:
        return select(UserRow).where(UserRow.tenant_id == self._tenant_id)

    def _record(self, row: UserRow) -> User:
        roles = self._session.scalars(
            select(UserRoleRow.role).where(
                UserRoleRow.tenant_id == self._tenant_id, UserRoleRow.user_id == row.id
            )
        )
        return record_of(User, row, roles=frozenset(Role(role) for role in roles))

    def _refuse_taken(self, column: Any, name: str, value: str | None) -> None:
        if value is not None and self._session.scalars(self._all().where(column == value)).first():
            raise ConflictError(f"{name} {value!r} is taken", remedy="use the user that has it")


class ApiKeys(Repository):
    """API keys of a tenant."""

    def add(
        self,
        key: NewKey,
        *,
        name: str,
        scopes: Iterable[str],
        user_id: str | None = None,
        expires_at: datetime | None = None,
    ) -> ApiKey:
        """Keeps a key that was just made; its secret is not stored.

        Raises:
            NotFoundError: No such person in this tenant.
        """
        self._demand_own(UserRow, "user", user_id)
        row = self._add(
            ApiKeyRow(
                id=key.id,
                tenant_id=self._tenant_id,
                name=name,
                user_id=user_id,
                test=key.test,
                secret_hash=key.secret_hash,
                scopes=sorted(set(scopes)),
                created_at=self._now,
                expires_at=expires_at,
            )
        )
        return record_of(ApiKey, row)

    def get(self, key_id: str) -> ApiKey:
        """The key of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(ApiKey, self._get(key_id))

    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[ApiKey]:
        """Keys, latest first, revoked ones too."""
        statement = select(ApiKeyRow).where(ApiKeyRow.tenant_id == self._tenant_id)
        return self._page(
            statement,
            ApiKeyRow.created_at,
            ApiKeyRow.id,
            lambda row: record_of(ApiKey, row),
            cursor=cursor,
            limit=limit,
        )

    def revoke(self, key_id: str) -> None:
        """Shuts a key at once."""
        self._get(key_id).revoked_at = self._now

    def rotate(self, key_id: str, key: NewKey, overlap: timedelta) -> ApiKey:
        """Keeps a successor with the same rights; the old key works until ``overlap`` is over.

        Raises:
            ConflictError: The old key is revoked or expired.
        """
        old = self._get(key_id)
        if not record_of(ApiKey, old).is_live(self._now):
            raise ConflictError(f"the key {key_id!r} is no longer live", remedy="make a new key")
        successor = self.add(key, name=old.name, scopes=old.scopes, user_id=old.user_id)
        end = self._now + overlap
        old.expires_at = min(end, old.expires_at) if old.expires_at else end
        old.successor_id = successor.id
        return successor

    def touch(self, key_id: str) -> None:
        """Notes that the key was used."""
        self._session.execute(
            update(ApiKeyRow)
            .where(ApiKeyRow.tenant_id == self._tenant_id, ApiKeyRow.id == key_id)
            .values(last_used_at=self._now)
        )

    def _get(self, key_id: str) -> ApiKeyRow:
        statement = select(ApiKeyRow).where(
            ApiKeyRow.tenant_id == self._tenant_id, ApiKeyRow.id == key_id
        )
        return self._row(statement, "API key", key_id)
