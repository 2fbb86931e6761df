"""Assignments: what is set to a cohort, when it is open and when its results are shown."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from grader.api.auth import Principal, needs
from grader.api.opening import seen_assignment
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import bad_field
from grader.api.schemas.base import Identifier
from grader.api.schemas.teaching import AssignmentIn, AssignmentOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.errors import QuestionUnknownError
from grader.store.errors import NotFoundError
from grader.store.records.teaching import Assignment
from grader.store.unit import TenantStore

router = APIRouter(tags=["assignments"])
Reader = Annotated[Principal, needs(Scope.QUESTIONS_READ)]
Keeper = Annotated[Principal, needs(Scope.COHORTS_WRITE)]


@router.get("/v1/assignments")
def list_assignments(
    service: ServiceDep,
    who: Reader,
    place: PlaceDep,
    cohort_id: Annotated[Identifier | None, Query()] = None,
) -> Listing[AssignmentOut]:
    """Assignments, latest first; learners see those of their cohorts."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        page = store.assignments.list(cohort_id=cohort_id, cursor=place.cursor, limit=place.limit)
        items = tuple(_out(a) for a in page.items if _is_seen(store, who, a))
    return Listing(items=items, next_cursor=page.next_cursor)


@router.post("/v1/assignments", status_code=201)
def add_assignment(
    given: AssignmentIn, service: ServiceDep, who: Keeper, response: Response
) -> AssignmentOut:
    """Sets questions to a cohort."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        _demand_questions(service, store, given)
        fields = _fields(given)
        cohort_id = fields.pop("cohort_id")
        try:
            assignment = store.assignments.add(cohort_id, **fields)
        except NotFoundError as error:
            raise bad_field("/cohort_id", error.message) from error
    response.headers["Location"] = f"/v1/assignments/{assignment.id}"
    return _out(assignment)


@router.get("/v1/assignments/{assignment_id}")
def get_assignment(assignment_id: IdPath, service: ServiceDep, who: Reader) -> AssignmentOut:
    """One assignment."""
    with service.database.reading() as unit:
        return _out(seen_assignment(unit.of(who.tenant_id), who, assignment_id))


@router.put("/v1/assignments/{assignment_id}")
def put_assignment(
    assignment_id: IdPath, given: AssignmentIn, service: ServiceDep, who: Keeper
) -> AssignmentOut:
    """Replaces what is set; the cohort stays the same."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        if store.assignments.get(assignment_id).cohort_id != given.cohort_id:
            raise bad_field("/cohort_id", "cannot be changed", remedy="set a new assignment")
        _demand_questions(service, store, given)
        fields = _fields(given)
        fields.pop("cohort_id")
        changes = {**fields, "kind": given.kind.value, "feedback": given.feedback.value}
        return _out(store.assignments.update(assignment_id, **changes))


def _is_seen(store: TenantStore, who: Principal, assignment: Assignment) -> bool:
    if who.sees_grades:
        return True
    return who.user_id is not None and store.cohorts.is_member(assignment.cohort_id, who.user_id)


def _demand_questions(service: Service, store: TenantStore, given: AssignmentIn) -> None:
    for number, question_id in enumerate(given.question_ids):
        try:
            service.catalogue.question(store, question_id)
        except QuestionUnknownError as error:
            raise bad_field(
                f"/question_ids/{number}", error.message, remedy=error.remedy
            ) from error


def _fields(given: AssignmentIn) -> dict[str, Any]:
    fields = dict(given)
    fields["late_rule"] = {"accept": True} if fields.pop("accept_late") else {}
    return fields


def _out(assignment: Assignment) -> AssignmentOut:
    return AssignmentOut(
        id=assignment.id,
        cohort_id=assignment.cohort_id,
        title=assignment.title,
        kind=assignment.kind,
        question_ids=assignment.question_ids,
        opens_at=assignment.opens_at,
        due_at=assignment.due_at,
        accept_late=bool(assignment.late_rule.get("accept")),
        attempts_allowed=assignment.attempts_allowed,
        feedback=assignment.feedback,
        release_at=assignment.release_at,
        created_at=assignment.created_at,
    )
