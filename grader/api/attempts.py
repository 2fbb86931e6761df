"""The rules of attempts: how many, what an assignment allows, and what each hint costs."""

import secrets
from datetime import datetime

from grader.api.auth import Principal
from grader.api.opening import demand_open
from grader.api.problems import ApiError
from grader.api.schemas.attempts import AttemptIn, AttemptOut, DraftOut
from grader.api.schemas.questions import QuestionOut
from grader.domain.question import Question
from grader.errors import ErrorCode
from grader.store.records.work import Attempt, AttemptState, Draft
from grader.store.unit import TenantStore

_SEEDS = 2**31


def open_attempt(
    store: TenantStore, who: Principal, question: Question, given: AttemptIn, now: datetime
) -> Attempt:
    """Opens the next attempt of whoever asks.

    Raises:
        ApiError: The assignment is not open to them, or no attempt is left.
    """
    if given.assignment_id is not None:
        assignment = demand_open(store, who, given.assignment_id, question.id, now=now)
        used = store.attempts.count(
            question.id, user_id=who.user_id, assignment_id=given.assignment_id
        )
        if assignment.attempts_allowed is not None and used >= assignment.attempts_allowed:
            raise ApiError(
                ErrorCode.CONFLICT,
                f"all {assignment.attempts_allowed} attempts are used",
                remedy="ask who set the assignment for another one",
            )
    varies = bool(question.parameters)
    return store.attempts.open(
        question.id,
        user_id=who.user_id,
        assignment_id=given.assignment_id,
        mode=given.mode.value,
        draw_seed=secrets.randbelow(_SEEDS) if varies else None,
    )


def demand_room(store: TenantStore, attempt: Attempt) -> None:
    """An open attempt takes answers; one of an assignment takes a single one.

    Raises:
        ApiError: It has ended, or has its answer.
    """
    if attempt.state is not AttemptState.OPEN:
        raise ApiError(
            ErrorCode.CONFLICT,
            f"the attempt {attempt.id!r} is {attempt.state.value}",
            remedy="open another attempt",
        )
    if attempt.assignment_id is None:
        return
    handed_in = store.submissions.list(attempt_id=attempt.id, limit=200).items
    if any(submission.parent_id is None for submission in handed_in):
        raise ApiError(
            ErrorCode.CONFLICT,
            f"the attempt {attempt.id!r} has its answer",
            remedy="finish it, or open another attempt",
        )


def attempt_out(
    attempt: Attempt,
    question: Question,
    *,
    draft: Draft | None = None,
    shown: QuestionOut | None = None,
) -> AttemptOut:
    """An attempt as its learner sees it."""
    used = tuple(sorted(int(number) for number in attempt.hints_used))
    prices = {number: hint.cost for number, hint in enumerate(question.hints, 1)}
    return AttemptOut(
        id=attempt.id,
        question_id=attempt.question_id,
        assignment_id=attempt.assignment_id,
        user_id=attempt.user_id,
        number=attempt.number,
        state=attempt.state,
        mode=attempt.mode,
        hints_used=used,
        hints_cost=sum(prices.get(number, 0) for number in used),
        draft=draft_out(draft) if draft else None,
        question=shown,
        started_at=attempt.started_at,
        submitted_at=attempt.submitted_at,
    )


def draft_out(draft: Draft) -> DraftOut:
    """A draft as it is sent."""
    return DraftOut(text=draft.text, revision=draft.revision, saved_at=draft.saved_at)
