"""Follow-ups: what an interviewer asks next, and answering it."""

import asyncio
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import Response

from grader.api.auth import Principal, needs
from grader.api.follow_ups import Interview, interview
from grader.api.idempotency import OnceDep, Reply
from grader.api.intake import accept, accepted_reply, prepare, took_in
from grader.api.limits import take_quota
from grader.api.parameters import IdPath
from grader.api.problems import ApiError, bad_field
from grader.api.review import review_is_open
from grader.api.schemas.grades import FollowUpIn, FollowUpOut, FollowUpsOut
from grader.api.schemas.submissions import AnswerIn, SubmissionOut
from grader.api.scopes import Scope
from grader.api.service import ServiceDep
from grader.api.sight import seen_submission
from grader.api.views import sees_scores
from grader.errors import ErrorCode
from grader.store.records.work import Submission, SubmissionKind
from grader.store.unit import TenantStore

router = APIRouter(tags=["follow-ups"])
Reader = Annotated[Principal, needs(Scope.SUBMISSIONS_READ)]
Writer = Annotated[Principal, needs(Scope.SUBMISSIONS_READ, Scope.SUBMISSIONS_WRITE)]


@router.get("/v1/submissions/{submission_id}/follow-ups")
def list_follow_ups(submission_id: IdPath, service: ServiceDep, who: Reader) -> FollowUpsOut:
    """What is asked about an answer, at most two questions, and the score with their answers."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        shown = sees_scores(store, who, submission, unit.now)
        talk = asyncio.run(interview(store, submission)) if _is_asked(submission) else None
    return _out(talk, scores=shown) if talk else FollowUpsOut(items=())


@router.post(
    "/v1/submissions/{submission_id}/follow-ups", status_code=202, response_model=SubmissionOut
)
def answer_follow_up(
    submission_id: IdPath, given: FollowUpIn, service: ServiceDep, who: Writer, repeat: OnceDep
) -> Response:
    """Answers a follow-up, once: its signal may rise by one step and never falls."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        taken = []

        def deed() -> Reply:
            submission = seen_submission(store, who, submission_id)
            if review_is_open(store, submission, unit.now):
                raise ApiError(ErrorCode.CONFLICT, "the review of this answer is open already")
            signal_id = _asked(store, submission, given.id)
            quota = take_quota(store, 1)
            prepared = prepare(service, who, _given(submission, given))
            accepted = accept(
                service,
                unit,
                who,
                prepared,
                attempt_id=submission.attempt_id,
                signals=(signal_id,),
                draw_seed=submission.draw_seed,
            )
            taken.append(accepted)
            return accepted_reply(accepted, quota)

        reply, replayed = repeat.do(store, deed)
    for accepted in taken:
        took_in(service, accepted)
    return reply.response(replayed=replayed)


def _is_asked(submission: Submission) -> bool:
    """Code and answers to follow-ups are not followed up."""
    return submission.kind is not SubmissionKind.CODE and submission.parent_id is None


def _asked(store: TenantStore, submission: Submission, name: str) -> str:
    talk = asyncio.run(interview(store, submission)) if _is_asked(submission) else None
    if talk is None:
        raise ApiError(ErrorCode.CONFLICT, "nothing is asked about this submission (yet)")
    if name not in talk.asked:
        raise bad_field("/id", f"there is no follow-up {name!r}")
    signal_id = talk.asked[name].signal_id
    if signal_id in talk.answers:
        raise ApiError(ErrorCode.CONFLICT, f"the follow-up {name!r} is answered already")
    return signal_id


def _given(submission: Submission, given: FollowUpIn) -> AnswerIn:
    return AnswerIn(
        question_id=submission.question_id,
        text=given.text,
        user_id=submission.user_id,
        assignment_id=submission.assignment_id,
        parent_id=submission.id,
        live=True,
    )


def _out(talk: Interview, *, scores: bool) -> FollowUpsOut:
    items = tuple(
        FollowUpOut(
            id=name,
            text=asked.text,
            submission_id=talk.answers[asked.signal_id].id
            if asked.signal_id in talk.answers
            else None,
        )
        for name, asked in talk.asked.items()
    )
    if not scores:
        return FollowUpsOut(items=items)
    return FollowUpsOut(
        items=items, score=talk.score.score, low=talk.score.low, high=talk.score.high
    )
