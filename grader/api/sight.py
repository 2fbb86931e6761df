"""Whose submissions and attempts a request may see: one's own, or with ``grades:read`` all."""

from grader.api.auth import Principal
from grader.store.errors import NotFoundError
from grader.store.records.work import Attempt, Submission
from grader.store.unit import TenantStore


def demand_sight(who: Principal, submission: Submission) -> Submission:
    """The submission, where it may be seen.

    Raises:
        NotFoundError: It is somebody else's; as if it were not there.
    """
    if who.sees_grades or submission.user_id == who.user_id:
        return submission
    raise NotFoundError("submission", submission.id)


def seen_submission(store: TenantStore, who: Principal, submission_id: str) -> Submission:
    """The submission of that id, where it may be seen."""
    return demand_sight(who, store.submissions.get(submission_id))


def seen_attempt(store: TenantStore, who: Principal, attempt_id: str) -> Attempt:
    """The attempt of that id, where it may be seen.

    Raises:
        NotFoundError: There is none, or it is somebody else's.
    """
    attempt = store.attempts.get(attempt_id)
    if who.sees_grades or attempt.user_id == who.user_id:
        return attempt
    raise NotFoundError("attempt", attempt_id)
