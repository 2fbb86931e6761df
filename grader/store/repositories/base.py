"""What repositories share: the tenant's scope, rows to records, pages."""

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Generic, TypeVar, get_type_hints

from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

from grader.errors import InputError
from grader.store.errors import NotFoundError
from grader.store.tables.base import Base

RecordT = TypeVar("RecordT")
RowT = TypeVar("RowT", bound=Base)

MOST_ITEMS = 200


@dataclass(frozen=True)
class Page(Generic[RecordT]):
    """Part of a list; ``next_cursor`` is None at its end."""

    items: tuple[RecordT, ...]
    next_cursor: str | None


class Repository:
    """Queries on behalf of one tenant.

    Args:
        session: Of the unit of work.
        tenant_id: Whose rows may be seen.
        now: Time of what is written.
    """

    def __init__(self, session: Session, tenant_id: str, now: datetime) -> None:
        self._session = session
        self._tenant_id = tenant_id
        self._now = now

    def _add(self, row: RowT) -> RowT:
        self._session.add(row)
        self._session.flush()
        return row

    def _row(self, statement: Select[RowT], noun: str, identifier: str) -> RowT:
        """The row of a statement that is scoped by tenant.

        Raises:
            NotFoundError: There is none.
        """
        found = self._session.scalars(statement).one_or_none()
        if found is None:
            raise NotFoundError(noun, identifier)
        return found

    def _demand_own(self, row_class: type[Base], noun: str, identifier: str | None) -> None:
        """Asserts that what a new row refers to belongs to the same tenant.

        Raises:
            NotFoundError: It does not, or is not there.
        """
        if identifier is None:
            return
        table = row_class.__table__
        found = self._session.scalar(
            select(table.c.id).where(table.c.tenant_id == self._tenant_id, table.c.id == identifier)
        )
        if found is None:
            raise NotFoundError(noun, identifier)

    def _page(
        self,
        statement: Select[RowT],
        moment: "InstrumentedAttribute[datetime]",
        identifier: "InstrumentedAttribute[str]",
        record: Callable[[RowT], RecordT],
        *,
        cursor: str | None,
        limit: int,
    ) -> Page[RecordT]:
        """A page, newest first, that does not shift when rows are added.

        Raises:
            InputError: The cursor is none of ours, or the limit is out of range.
        """
        if not 1 <= limit <= MOST_ITEMS:
            raise InputError(f"limit is {limit}", remedy=f"use 1 to {MOST_ITEMS}")
        if cursor is not None:
            statement = statement.where(tuple_(moment, identifier) < tuple_(*_place(cursor)))
        statement = statement.order_by(moment.desc(), identifier.desc()).limit(limit + 1)
        rows = self._session.scalars(statement).all()
        shown = rows[:limit]
        more = len(rows) > limit
        last = (
            (getattr(shown[-1], moment.key), getattr(shown[-1], identifier.key)) if more else None
        )
        return Page(tuple(record(row) for row in shown), _cursor(*last) if last else None)


def record_of(kind: type[RecordT], row: Base, **given: Any) -> RecordT:
    """A record with the values of a row; lists become tuples, words become their enum."""
    values = {
        name: convert(getattr(row, name))
        for name, convert in _conversions(kind)  # type: ignore[arg-type]
        if name not in given
    }
    return kind(**values, **given)


@lru_cache
def _conversions(kind: type[Any]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, _conversion(hints[field.name])) for field in fields(kind))


def _conversion(hint: Any) -> Callable[[Any], Any]:
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint
    return lambda value: tuple(value) if isinstance(value, list) else value


def _cursor(moment: datetime, identifier: str) -> str:
    text = json.dumps([moment.isoformat(), identifier], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(cursor: str) -> tuple[datetime, str]:
    """Where a cursor points to; what no database could compare is refused here.

    Raises:
        InputError: The cursor is none of ours.
    """
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        moment, identifier = json.loads(text)
        return _utc(datetime.fromisoformat(moment)), _storable(identifier)
    except (binascii.Error, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InputError(
            "cursor is none of ours", remedy="use next_cursor of the page before"
        ) from error


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone")
    return moment.astimezone(UTC)


def _storable(identifier: str) -> str:
    if not isinstance(identifier, str) or "\0" in identifier:
        raise TypeError("an identifier is text without NUL")
    identifier.encode()
    return identifier
