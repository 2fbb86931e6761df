"""Rosters: a CSV file of learners, put into a cohort by their external ids."""

import csv
import io
from dataclasses import dataclass

from pydantic import ValidationError

from grader.api.problems import bad_field
from grader.api.schemas.teaching import UserIn
from grader.store.records.tenancy import Role
from grader.store.unit import TenantStore

MOST_ROWS = 2000
_NEEDED = {"external_id", "name"}
_KNOWN = _NEEDED | {"email"}


@dataclass(frozen=True)
class Entry:
    """One learner of a roster."""

    external_id: str
    name: str
    email: str | None


def read_roster(text: str) -> list[Entry]:
    """The learners of a roster.

    Raises:
        ApiError: Columns are missing or unknown, or a row cannot be used.
    """
    reader = csv.DictReader(io.StringIO(text.lstrip("﻿")), strict=True)
    try:
        columns = set(reader.fieldnames or ())
        if not columns >= _NEEDED or columns - _KNOWN:
            raise bad_field(
                "/csv",
                f"has the columns {', '.join(sorted(map(str, columns)))[:100]}",
                remedy="use external_id, name and, if wanted, email",
            )
        entries = [_entry(number, row) for number, row in enumerate(reader, 2)]
    except csv.Error as error:
        raise bad_field("/csv", f"cannot be read: {error}") from error
    if not 1 <= len(entries) <= MOST_ROWS:
        raise bad_field("/csv", f"has {len(entries)} rows", remedy=f"send 1 to {MOST_ROWS}")
    return entries


def enrol(store: TenantStore, cohort_id: str, entries: list[Entry]) -> int:
    """Puts learners into a cohort, adding those that are not known yet; returns how many."""
    added = 0
    for entry in entries:
        user = store.users.find(external_id=entry.external_id)
        if user is None:
            added += 1
            user = store.users.add(
                entry.name,
                roles=[Role.LEARNER],
                email=entry.email,
                external_id=entry.external_id,
            )
        store.cohorts.put_member(cohort_id, user.id, entry.external_id)
    return added


def _entry(number: int, row: dict[str, str | None]) -> Entry:
    try:
        if None in row:
            raise bad_field("/csv", f"line {number} has too many fields")
        given = UserIn(
            name=(row["name"] or "").strip(),
            roles=frozenset({Role.LEARNER}),
            external_id=(row["external_id"] or "").strip(),
            email=(row.get("email") or "").strip() or None,
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise bad_field("/csv", f"line {number}: {field}: {first['msg']}") from error
    return Entry(given.external_id or "", given.name, given.email)
