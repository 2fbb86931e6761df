"""When an assignment takes answers, and when it gives results."""

from datetime import datetime

from grader.api.auth import Principal
from grader.api.problems import ApiError, bad_field
from grader.errors import ErrorCode
from grader.store.errors import NotFoundError
from grader.store.records.teaching import Assignment, Feedback
from grader.store.unit import TenantStore


def demand_open(
    store: TenantStore,
    who: Principal,
    assignment_id: str,
    question_id: str,
    *,
    now: datetime,
    place: str = "",
) -> Assignment:
    """The assignment, where it takes an answer to that question now.

    Raises:
        ApiError: There is none for this learner, it asks something else, or it is not open.
    """
    pointer = f"{place}/assignment_id"
    try:
        assignment = seen_assignment(store, who, assignment_id)
    except NotFoundError as error:
        raise bad_field(pointer, error.message, remedy=error.remedy) from error
    if question_id not in assignment.question_ids:
        raise bad_field(pointer, f"does not ask {question_id!r}")
    if assignment.opens_at is not None and now < assignment.opens_at:
        raise _closed(f"opens at {assignment.opens_at.isoformat()}")
    if is_over(assignment, now):
        raise _closed("is over")
    return assignment


def seen_assignment(store: TenantStore, who: Principal, assignment_id: str) -> Assignment:
    """An assignment of a cohort in which one is, or with ``grades:read`` any.

    Raises:
        NotFoundError: There is none to be seen.
    """
    assignment = store.assignments.get(assignment_id)
    if who.sees_grades:
        return assignment
    if who.user_id is None or not store.cohorts.is_member(assignment.cohort_id, who.user_id):
        raise NotFoundError("assignment", assignment_id)
    return assignment


def is_over(assignment: Assignment, now: datetime) -> bool:
    """Whether nothing is taken any more: it was due, and lateness is not allowed."""
    late = bool(assignment.late_rule.get("accept"))
    return assignment.due_at is not None and now > assignment.due_at and not late


def shown_feedback(assignment: Assignment | None, now: datetime) -> Feedback:
    """What a learner is shown now; ``after_release`` means nothing yet."""
    if assignment is None:
        return Feedback.FULL
    waits = assignment.release_at is not None and now < assignment.release_at
    if assignment.feedback is Feedback.AFTER_RELEASE:
        released = assignment.release_at is not None and not waits
        return Feedback.FULL if released else Feedback.AFTER_RELEASE
    return Feedback.AFTER_RELEASE if waits else assignment.feedback


def _closed(detail: str) -> ApiError:
    return ApiError(
        ErrorCode.CONFLICT, f"the assignment {detail}", remedy="ask who set it for more time"
    )
