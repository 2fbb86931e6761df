"""Attempts: opening one, drafts, hints, answers, and handing in for good."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import Response as AnyResponse

from grader.api.attempts import attempt_out, demand_room, draft_out, open_attempt
from grader.api.auth import Principal, needs
from grader.api.idempotency import OnceDep, Reply
from grader.api.intake import GivenSubmission, accept, accepted_reply, prepare, took_in
from grader.api.limits import take_quota
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import ApiError, bad_field
from grader.api.schemas.attempts import (
    AttemptAnswerIn,
    AttemptIn,
    AttemptOut,
    DraftIn,
    DraftOut,
    HintIn,
    HintOut,
)
from grader.api.schemas.base import Identifier
from grader.api.schemas.questions import question_out
from grader.api.schemas.submissions import AnswerIn, CodeIn, SubmissionOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.api.sight import seen_attempt
from grader.api.starters import starter_of
from grader.bank.draw import draw_question
from grader.domain.question import QuestionKind
from grader.errors import ErrorCode, QuestionUnknownError
from grader.store.records.work import Attempt, AttemptState
from grader.store.unit import TenantStore

router = APIRouter(tags=["attempts"])
Learner = Annotated[Principal, needs(Scope.ATTEMPTS_WRITE)]


@router.get("/v1/attempts")
def list_attempts(
    service: ServiceDep,
    who: Learner,
    place: PlaceDep,
    assignment_id: Annotated[Identifier | None, Query()] = None,
    user_id: Annotated[Identifier | None, Query()] = None,
) -> Listing[AttemptOut]:
    """Attempts, latest first; learners see their own."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        page = store.attempts.list(
            user_id=user_id if who.sees_grades else who.user_id,
            assignment_id=assignment_id,
            cursor=place.cursor,
            limit=place.limit,
        )
        own = [a for a in page.items if who.sees_grades or a.user_id == who.user_id]
        items = tuple(_out(service, store, attempt) for attempt in own)
    return Listing(items=items, next_cursor=page.next_cursor)


@router.post("/v1/attempts", status_code=201)
def start_attempt(
    given: AttemptIn, service: ServiceDep, who: Learner, response: Response
) -> AttemptOut:
    """Opens the next attempt at a question; its figures are drawn now."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        try:
            question = service.catalogue.question(store, given.question_id)
        except QuestionUnknownError as error:
            raise bad_field("/question_id", error.message, remedy=error.remedy) from error
        attempt = open_attempt(store, who, question, given, unit.now)
        body = _out(service, store, attempt, whole=True)
    response.headers["Location"] = f"/v1/attempts/{attempt.id}"
    return body


@router.get("/v1/attempts/{attempt_id}")
def get_attempt(attempt_id: IdPath, service: ServiceDep, who: Learner) -> AttemptOut:
    """One attempt with its question and the latest draft."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        return _out(service, store, seen_attempt(store, who, attempt_id), whole=True)


@router.put("/v1/attempts/{attempt_id}/draft")
def save_draft(attempt_id: IdPath, given: DraftIn, service: ServiceDep, who: Learner) -> DraftOut:
    """Saves the text so far; 409 where another window saved in between."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        seen_attempt(store, who, attempt_id)
        return draft_out(
            store.attempts.save_draft(attempt_id, given.text.text, revision=given.revision)
        )


@router.get("/v1/attempts/{attempt_id}/draft")
def get_draft(attempt_id: IdPath, service: ServiceDep, who: Learner) -> DraftOut:
    """The latest draft; empty with revision 0 where none was saved."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        seen_attempt(store, who, attempt_id)
        draft = store.attempts.draft(attempt_id)
    return draft_out(draft) if draft else DraftOut(text="", revision=0)


@router.post("/v1/attempts/{attempt_id}/hints")
def buy_hint(attempt_id: IdPath, given: HintIn, service: ServiceDep, who: Learner) -> HintOut:
    """Shows a hint; its price is taken off the attempt's result, once."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        attempt = seen_attempt(store, who, attempt_id)
        question = service.catalogue.question(store, attempt.question_id)
        hints = draw_question(question, attempt.draw_seed).hints
        if given.number > len(hints):
            raise bad_field("/number", f"the question has {len(hints)} hints")
        store.attempts.use_hint(attempt_id, str(given.number))
    hint = hints[given.number - 1]
    return HintOut(number=given.number, cost=hint.cost, text=hint.text)


@router.post("/v1/attempts/{attempt_id}/submissions", status_code=202, response_model=SubmissionOut)
def answer_attempt(
    attempt_id: IdPath, given: AttemptAnswerIn, service: ServiceDep, who: Learner, repeat: OnceDep
) -> AnyResponse:
    """Hands in an answer within an attempt; with `final` the attempt ends.

    In an assignment an attempt takes one answer; in practice, as many as one likes until its end.
    """
    with service.database.reading() as unit:
        attempt = seen_attempt(unit.of(who.tenant_id), who, attempt_id)
    prepared = prepare(service, who, _given(service, who, attempt, given))
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        taken = []

        def deed() -> Reply:
            demand_room(store, store.attempts.get(attempt_id))
            quota = take_quota(store, 1)
            accepted = accept(
                service,
                unit,
                who,
                prepared,
                attempt_id=attempt_id,
                draw_seed=attempt.draw_seed,
            )
            if given.final:
                store.attempts.close(attempt_id)
            taken.append(accepted)
            return accepted_reply(accepted, quota)

        reply, replayed = repeat.do(store, deed)
    for accepted in taken:
        took_in(service, accepted)
    return reply.response(replayed=replayed)


@router.post("/v1/attempts/{attempt_id}:finish")
def finish_attempt(attempt_id: IdPath, service: ServiceDep, who: Learner) -> AttemptOut:
    """Hands an attempt in for good: from then on its review may open."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        seen_attempt(store, who, attempt_id)
        if not store.submissions.list(attempt_id=attempt_id, limit=1).items:
            raise ApiError(
                ErrorCode.CONFLICT, "nothing was handed in", remedy="hand in, or abandon it"
            )
        return _out(service, store, store.attempts.close(attempt_id))


@router.post("/v1/attempts/{attempt_id}:abandon")
def abandon_attempt(attempt_id: IdPath, service: ServiceDep, who: Learner) -> AttemptOut:
    """Ends an attempt without handing in; it counts as one."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        seen_attempt(store, who, attempt_id)
        return _out(service, store, store.attempts.close(attempt_id, AttemptState.ABANDONED))


def _given(
    service: Service, who: Principal, attempt: Attempt, given: AttemptAnswerIn
) -> GivenSubmission:
    common = {"assignment_id": attempt.assignment_id, "user_id": attempt.user_id, "live": True}
    if given.text is not None:
        return AnswerIn(question_id=attempt.question_id, text=given.text, **common)
    with service.database.reading() as unit:
        question = service.catalogue.question(unit.of(who.tenant_id), attempt.question_id)
    if question.kind is not QuestionKind.CODING:
        raise bad_field("/code", f"the question {question.id!r} takes text")
    return CodeIn(exercise_id=attempt.question_id, code=given.code, **common)


def _out(
    service: Service, store: TenantStore, attempt: Attempt, *, whole: bool = False
) -> AttemptOut:
    question = service.catalogue.question(store, attempt.question_id)
    if not whole:
        return attempt_out(attempt, question)
    shown = question_out(
        question,
        draw_seed=attempt.draw_seed,
        starter=starter_of(service.settings.bank_dirs, question),
    )
    return attempt_out(attempt, question, draft=store.attempts.draft(attempt.id), shown=shown)
