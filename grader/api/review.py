"""When a learner may see the model answer and the statements that were missed."""

from datetime import datetime

from grader.api.opening import is_over, shown_feedback
from grader.store.records.teaching import Assignment, Feedback
from grader.store.records.work import AttemptState, Submission
from grader.store.unit import TenantStore


def review_is_open(store: TenantStore, submission: Submission, now: datetime) -> bool:
    """Whether the attempt is handed in for good and nothing can be won by knowing the rubric.

    In an assignment, its feedback must be whole and released, and no attempt may be left.
    """
    if submission.attempt_id is None:
        return False
    attempt = store.attempts.get(submission.attempt_id)
    if attempt.state is not AttemptState.SUBMITTED:
        return False
    if submission.assignment_id is None:
        return True
    assignment = store.assignments.get(submission.assignment_id)
    if shown_feedback(assignment, now) is not Feedback.FULL:
        return False
    return _is_used_up(store, assignment, submission) or is_over(assignment, now)


def _is_used_up(store: TenantStore, assignment: Assignment, submission: Submission) -> bool:
    if assignment.attempts_allowed is None:
        return False
    used = store.attempts.count(
        submission.question_id, user_id=submission.user_id, assignment_id=assignment.id
    )
    return used >= assignment.attempts_allowed
