"""Cohorts: their members, by roster or by invitation."""

import hashlib
import secrets
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Response

from grader.api.auth import Principal, needs
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import ApiError
from grader.api.rosters import enrol, read_roster
from grader.api.schemas.teaching import (
    CohortIn,
    CohortOut,
    InvitationIn,
    InvitationOut,
    JoinIn,
    MemberOut,
    RosterIn,
    RosterOut,
)
from grader.api.scopes import Scope
from grader.api.service import ServiceDep
from grader.errors import ErrorCode
from grader.store.records.teaching import Cohort, Member

router = APIRouter(tags=["cohorts"])
Reader = Annotated[Principal, needs(Scope.COHORTS_READ)]
Keeper = Annotated[Principal, needs(Scope.COHORTS_WRITE)]
Joiner = Annotated[Principal, needs(Scope.ATTEMPTS_WRITE)]


@router.get("/v1/cohorts")
def list_cohorts(service: ServiceDep, who: Reader, place: PlaceDep) -> Listing[CohortOut]:
    """Cohorts of the tenant, latest first."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).cohorts.list(cursor=place.cursor, limit=place.limit)
    return Listing(items=tuple(_out(c) for c in page.items), next_cursor=page.next_cursor)


@router.post("/v1/cohorts", status_code=201)
def add_cohort(given: CohortIn, service: ServiceDep, who: Keeper, response: Response) -> CohortOut:
    """Adds a cohort without members."""
    with service.database.writing() as unit:
        cohort = unit.of(who.tenant_id).cohorts.add(given.name)
    response.headers["Location"] = f"/v1/cohorts/{cohort.id}"
    return _out(cohort)


@router.get("/v1/cohorts/{cohort_id}")
def get_cohort(cohort_id: IdPath, service: ServiceDep, who: Reader) -> CohortOut:
    """One cohort."""
    with service.database.reading() as unit:
        return _out(unit.of(who.tenant_id).cohorts.get(cohort_id))


@router.post("/v1/cohorts/{cohort_id}:archive")
def archive_cohort(cohort_id: IdPath, service: ServiceDep, who: Keeper) -> CohortOut:
    """Closes a cohort; what was done in it stays."""
    with service.database.writing() as unit:
        cohorts = unit.of(who.tenant_id).cohorts
        cohorts.archive(cohort_id)
        return _out(cohorts.get(cohort_id))


@router.get("/v1/cohorts/{cohort_id}/members")
def list_members(
    cohort_id: IdPath, service: ServiceDep, who: Reader, place: PlaceDep
) -> Listing[MemberOut]:
    """Members of a cohort, latest first."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).cohorts.members(
            cohort_id, cursor=place.cursor, limit=place.limit
        )
    return Listing(items=tuple(_member(m) for m in page.items), next_cursor=page.next_cursor)


@router.post("/v1/cohorts/{cohort_id}/roster")
def put_roster(cohort_id: IdPath, given: RosterIn, service: ServiceDep, who: Keeper) -> RosterOut:
    """Puts the learners of a CSV roster into a cohort; sending it again changes nothing."""
    entries = read_roster(given.csv)
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        store.cohorts.get(cohort_id)
        added = enrol(store, cohort_id, entries)
    return RosterOut(added=added, known=len(entries) - added)


@router.delete("/v1/cohorts/{cohort_id}/members/{user_id}", status_code=204)
def remove_member(cohort_id: IdPath, user_id: IdPath, service: ServiceDep, who: Keeper) -> None:
    """Takes a person out; what they handed in stays."""
    with service.database.writing() as unit:
        cohorts = unit.of(who.tenant_id).cohorts
        cohorts.get(cohort_id)
        cohorts.remove_member(cohort_id, user_id)


@router.post("/v1/cohorts/{cohort_id}/invitation", status_code=201)
def open_invitation(
    cohort_id: IdPath, given: InvitationIn, service: ServiceDep, who: Keeper
) -> InvitationOut:
    """Opens an invitation; the one before no longer lets anybody in."""
    code = f"inv_{secrets.token_urlsafe(24)}"
    with service.database.writing() as unit:
        expires_at = unit.now + timedelta(days=given.days)
        unit.of(who.tenant_id).cohorts.invite(cohort_id, _hash(code), expires_at)
    return InvitationOut(code=code, expires_at=expires_at)


@router.delete("/v1/cohorts/{cohort_id}/invitation", status_code=204)
def withdraw_invitation(cohort_id: IdPath, service: ServiceDep, who: Keeper) -> None:
    """Withdraws the invitation."""
    with service.database.writing() as unit:
        unit.of(who.tenant_id).cohorts.invite(cohort_id, None, unit.now)


@router.post("/v1/cohorts:join")
def join_cohort(given: JoinIn, service: ServiceDep, who: Joiner) -> CohortOut:
    """Enters the cohort of an invitation, as the person whose key is shown."""
    if who.user_id is None:
        raise ApiError(
            ErrorCode.FORBIDDEN, "this key is nobody's", remedy="use the key of a person"
        )
    with service.database.writing() as unit:
        cohorts = unit.of(who.tenant_id).cohorts
        cohort = cohorts.by_invitation(_hash(given.code))
        if cohort is None:
            raise ApiError(
                ErrorCode.NOT_FOUND, "no invitation has that code", remedy="ask for a new one"
            )
        cohorts.put_member(cohort.id, who.user_id)
    return _out(cohort).model_copy(update={"invitation_expires_at": None})


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _out(cohort: Cohort) -> CohortOut:
    return CohortOut(
        id=cohort.id,
        name=cohort.name,
        created_at=cohort.created_at,
        archived_at=cohort.archived_at,
        invitation_expires_at=cohort.invitation_expires_at,
    )


def _member(member: Member) -> MemberOut:
    return MemberOut(
        user_id=member.user_id, external_id=member.external_id, joined_at=member.joined_at
    )
