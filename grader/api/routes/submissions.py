"""Submissions: handing in one by one and in batches, and asking how they came out."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from grader.api.auth import Principal, needs
from grader.api.batches import read_batch
from grader.api.etags import tagged
from grader.api.idempotency import KeyHeader, Once, OnceDep, Reply, once
from grader.api.intake import Accepted, accept, accepted_reply, prepare, took_in
from grader.api.limits import quota_headers, take_quota
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath, WaitQuery
from grader.api.schemas.base import Identifier, Line
from grader.api.schemas.submissions import BatchItemOut, BatchOut, SubmissionIn, SubmissionOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.api.sight import seen_submission
from grader.api.views import submission_out
from grader.engine.port import final_job
from grader.store.ids import new_id

router = APIRouter(tags=["submissions"])
Writer = Annotated[Principal, needs(Scope.SUBMISSIONS_WRITE)]
Reader = Annotated[Principal, needs(Scope.SUBMISSIONS_READ)]
_RETRY_S = "1"


@router.post(
    "/v1/submissions",
    status_code=202,
    response_model=SubmissionOut,
    responses={200: {"model": SubmissionOut, "description": "Graded within the wait."}},
)
async def submit(
    given: SubmissionIn, service: ServiceDep, who: Writer, repeat: OnceDep, wait: WaitQuery = 0
) -> Response:
    """Hands in one answer or one piece of code.

    Answers 202 with the submission's address; with `wait`, 200 once it is graded. A test key
    always gets the offline judge.
    """
    reply, replayed = await asyncio.to_thread(_submit, service, who, given, repeat)
    if not wait:
        return reply.response(replayed=replayed)
    held = min(wait, service.options.hold_s)
    await final_job(service.engine, who.tenant_id, reply.body["id"], held)
    seen = await asyncio.to_thread(_seen, service, who, reply.body["id"])
    headers = reply.headers if seen.status.is_final else {**reply.headers, "Retry-After": _RETRY_S}
    return JSONResponse(seen.model_dump(mode="json"), 200 if seen.status.is_final else 202, headers)


@router.post(
    "/v1/submissions:batch",
    status_code=202,
    response_model=BatchOut,
    openapi_extra={"x-body": "BatchIn"},
)
async def submit_batch(
    request: Request, service: ServiceDep, who: Writer, key: KeyHeader = None
) -> Response:
    """Hands in up to 1,000 answers, all or none: as JSON, or as NDJSON with one a line."""
    body = await request.body()
    media_type = request.headers.get("content-type", "application/json")
    given = await asyncio.to_thread(read_batch, body, media_type)
    repeat = once(request, key, body)
    reply, replayed = await asyncio.to_thread(_submit_batch, service, who, given, repeat)
    return reply.response(replayed=replayed)


@router.get("/v1/submissions")
def list_submissions(
    service: ServiceDep,
    who: Reader,
    place: PlaceDep,
    *,
    question_id: Annotated[Identifier | None, Query()] = None,
    assignment_id: Annotated[Identifier | None, Query()] = None,
    attempt_id: Annotated[Identifier | None, Query()] = None,
    batch_id: Annotated[Identifier | None, Query()] = None,
    user_id: Annotated[Identifier | None, Query()] = None,
    external_id: Annotated[Line | None, Query()] = None,
) -> Listing[SubmissionOut]:
    """Submissions, latest first; learners see their own."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        page = store.submissions.list(
            user_id=user_id if who.sees_grades else who.user_id,
            assignment_id=assignment_id,
            attempt_id=attempt_id,
            batch_id=batch_id,
            external_id=external_id,
            question_id=question_id,
            cursor=place.cursor,
            limit=place.limit,
        )
        # A key of the tenant itself owns what was handed in for nobody.
        own = [s for s in page.items if who.sees_grades or s.user_id == who.user_id]
        items = tuple(submission_out(store, who, s, unit.now) for s in own)
    return Listing(items=items, next_cursor=page.next_cursor)


@router.get("/v1/submissions/{submission_id}", response_model=SubmissionOut)
async def get_submission(
    submission_id: IdPath, request: Request, service: ServiceDep, who: Reader, wait: WaitQuery = 0
) -> Response:
    """One submission with its grade; `wait` holds the reply until it is graded."""
    seen = await asyncio.to_thread(_seen, service, who, submission_id)
    if wait and not seen.status.is_final:
        held = min(wait, service.options.hold_s)
        await final_job(service.engine, who.tenant_id, submission_id, held)
        seen = await asyncio.to_thread(_seen, service, who, submission_id)
    headers = {} if seen.status.is_final else {"Retry-After": _RETRY_S}
    return tagged(request, seen, headers=headers)


def _submit(service: Service, who: Principal, given: Any, repeat: Once) -> tuple[Reply, bool]:
    prepared = prepare(service, who, given)
    taken: list[Accepted] = []
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)

        def deed() -> Reply:
            quota = take_quota(store, 1)
            accepted = accept(service, unit, who, prepared)
            taken.append(accepted)
            return accepted_reply(accepted, quota)

        done = repeat.do(store, deed)
    for accepted in taken:
        took_in(service, accepted)
    return done


def _submit_batch(
    service: Service, who: Principal, given: tuple[Any, ...], repeat: Once
) -> tuple[Reply, bool]:
    prepared = [prepare(service, who, one, place=f"/items/{n}") for n, one in enumerate(given)]
    taken: list[Accepted] = []
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)

        def deed() -> Reply:
            quota = take_quota(store, len(prepared))
            batch_id = new_id("bat")
            taken.extend(accept(service, unit, who, one, batch_id=batch_id) for one in prepared)
            headers = {
                "Location": f"/v1/submissions?batch_id={batch_id}",
                "Retry-After": _RETRY_S,
                **quota_headers(quota),
            }
            body = BatchOut(id=batch_id, items=_items(taken))
            return Reply(status=202, body=body.model_dump(mode="json"), headers=headers)

        done = repeat.do(store, deed)
    for accepted in taken:
        took_in(service, accepted)
    return done


def _items(taken: list[Accepted]) -> tuple[BatchItemOut, ...]:
    return tuple(
        BatchItemOut(
            index=n,
            id=one.submission.id,
            status=one.job.status,
            external_id=one.submission.external_id,
        )
        for n, one in enumerate(taken)
    )


def _seen(service: Service, who: Principal, submission_id: str) -> SubmissionOut:
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        return submission_out(store, who, submission, unit.now)
