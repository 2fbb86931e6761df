"""Contests: a learner objects to a verdict, and somebody answers."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query, Response

from grader.api.auth import Principal, needs
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import ApiError, bad_field
from grader.api.schemas.grades import ContestIn, ContestOut, ContestReplyIn
from grader.api.scopes import Scope
from grader.api.service import ServiceDep
from grader.api.sight import seen_submission
from grader.api.views import sees_scores, signal_named, signal_shown
from grader.errors import ErrorCode
from grader.store.records.grading import Contest
from grader.store.records.work import Submission
from grader.store.unit import TenantStore

router = APIRouter(tags=["contests"])
Reader = Annotated[Principal, needs(Scope.SUBMISSIONS_READ)]
Objector = Annotated[Principal, needs(Scope.SUBMISSIONS_WRITE)]
Staff = Annotated[Principal, needs(Scope.GRADES_READ)]
Resolver = Annotated[Principal, needs(Scope.GRADES_READ, Scope.GRADES_WRITE)]


class ContestState(StrEnum):
    """How far an objection has come."""

    OPEN = "open"
    UPHELD = "upheld"
    REJECTED = "rejected"


@router.get("/v1/contests")
def list_contests(
    service: ServiceDep,
    who: Staff,
    place: PlaceDep,
    state: Annotated[ContestState | None, Query()] = None,
) -> Listing[ContestOut]:
    """Objections of the tenant's learners, latest first."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).contests.list(
            state=state.value if state else None, cursor=place.cursor, limit=place.limit
        )
    items = tuple(_out(contest, contest.signal_id) for contest in page.items)
    return Listing(items=items, next_cursor=page.next_cursor)


@router.get("/v1/submissions/{submission_id}/contests")
def list_contests_of_submission(
    submission_id: IdPath, service: ServiceDep, who: Reader
) -> Listing[ContestOut]:
    """Objections to the verdicts of one submission."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        page = store.contests.list(submission_id=submission_id, limit=200)
        items = tuple(_shown(store, who, submission, contest) for contest in page.items)
    return Listing(items=items)


@router.post("/v1/submissions/{submission_id}/contests", status_code=201)
def add_contest(
    submission_id: IdPath, given: ContestIn, service: ServiceDep, who: Objector, response: Response
) -> ContestOut:
    """Objects to a verdict of one's own submission, once for each signal."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        if not sees_scores(store, who, submission, unit.now):
            raise ApiError(ErrorCode.NOT_RELEASED, "the grade is not released yet")
        signal_id = signal_named(store, submission, given.signal_id)
        if signal_id is None:
            raise bad_field("/signal_id", f"the grade has no verdict {given.signal_id!r}")
        made = store.contests.add(submission_id, signal_id, given.text)
        body = _shown(store, who, submission, made)
    response.headers["Location"] = f"/v1/submissions/{submission_id}/contests"
    return body


@router.post("/v1/contests/{contest_id}:resolve")
def resolve_contest(
    contest_id: IdPath, given: ContestReplyIn, service: ServiceDep, who: Resolver
) -> ContestOut:
    """Answers an objection; a corrected verdict is an override of its own."""
    with service.database.writing() as unit:
        contests = unit.of(who.tenant_id).contests
        if contests.get(contest_id).state != ContestState.OPEN:
            raise ApiError(ErrorCode.CONFLICT, "the contest is answered already")
        answered = contests.resolve(contest_id, upheld=given.upheld, reply=given.reply)
    return _out(answered, answered.signal_id)


def _shown(store: TenantStore, who: Principal, submission: Submission, made: Contest) -> ContestOut:
    return _out(made, signal_shown(store, who, submission, made.signal_id))


def _out(made: Contest, signal_id: str) -> ContestOut:
    return ContestOut(
        id=made.id,
        submission_id=made.submission_id,
        signal_id=signal_id,
        text=made.text,
        state=made.state,
        reply=made.reply,
        created_at=made.created_at,
        resolved_at=made.resolved_at,
    )
