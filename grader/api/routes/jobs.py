"""Jobs: how far a grading has come, what happened to it, and ending or repeating it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from grader.api.auth import Principal, needs
from grader.api.etags import tagged
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath, WaitQuery
from grader.api.schemas.jobs import JobEventOut, JobOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.api.sight import seen_submission
from grader.api.views import event_out, job_out, sees_scores
from grader.engine.port import events_after, final_job
from grader.store.records.grading import Job, JobStatus

router = APIRouter(tags=["jobs"])
Reader = Annotated[Principal, needs(Scope.SUBMISSIONS_READ)]
Staff = Annotated[Principal, needs(Scope.GRADES_READ)]
Worker = Annotated[Principal, needs(Scope.JOBS_WRITE)]

KEEP_ALIVE_S = 15.0
STREAM_S = 3600.0
_FINAL = frozenset(status.value for status in JobStatus if status.is_final)


@router.get("/v1/jobs")
def list_jobs(
    service: ServiceDep,
    who: Staff,
    place: PlaceDep,
    status: Annotated[JobStatus | None, Query()] = None,
) -> Listing[JobOut]:
    """Jobs of the tenant, latest first."""
    page = service.engine.list(who.tenant_id, status=status, cursor=place.cursor, limit=place.limit)
    return Listing(items=tuple(job_out(job) for job in page.items), next_cursor=page.next_cursor)


@router.get("/v1/jobs/{job_id}", response_model=JobOut)
async def get_job(
    job_id: IdPath, request: Request, service: ServiceDep, who: Reader, wait: WaitQuery = 0
) -> Response:
    """How far a job has come; poll with If-None-Match, or let `wait` hold the reply."""
    job = (await asyncio.to_thread(_watched, service, who, job_id)).job
    if wait and not job.status.is_final:
        held = min(wait, service.options.hold_s)
        job = await final_job(service.engine, who.tenant_id, job_id, held)
    headers = {} if job.status.is_final else {"Retry-After": "1"}
    return tagged(request, job_out(job), headers=headers)


@router.post("/v1/jobs/{job_id}:cancel")
def cancel_job(job_id: IdPath, service: ServiceDep, who: Worker) -> JobOut:
    """Ends a job: its model call stops, its container is killed, no grade is recorded."""
    _watched(service, who, job_id)
    return job_out(service.engine.cancel(who.tenant_id, job_id))


@router.post("/v1/jobs/{job_id}:retry", status_code=202)
def retry_job(job_id: IdPath, service: ServiceDep, who: Worker) -> JobOut:
    """Queues a failed or cancelled job again."""
    _watched(service, who, job_id)
    return job_out(service.engine.retry(who.tenant_id, job_id))


@dataclass(frozen=True)
class _Watched:
    """A job that the one who asks may see, and whether with its score."""

    job: Job
    scores: bool


def _watched(service: Service, who: Principal, job_id: str) -> _Watched:
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        job = store.jobs.get(job_id)
        submission = seen_submission(store, who, job.submission_id)
        return _Watched(job, sees_scores(store, who, submission, unit.now))


def _watched_of_path(job_id: IdPath, service: ServiceDep, who: Reader) -> _Watched:
    return _watched(service, who, job_id)


WatchedDep = Annotated[_Watched, Depends(_watched_of_path)]


@router.get("/v1/jobs/{job_id}/events", response_class=EventSourceResponse)
async def stream_events(
    request: Request,
    service: ServiceDep,
    watched: WatchedDep,
    after: Annotated[int, Query(ge=0, le=2**31)] = 0,
    last_seen: Annotated[
        str | None,
        Header(alias="Last-Event-ID", description="Of the last event that was read."),
    ] = None,
) -> AsyncIterator[ServerSentEvent]:
    """What happens to a job, as server-sent events from the beginning or after `Last-Event-ID`.

    The stream ends with the job.
    """
    seq = int(last_seen) if last_seen and last_seen.isdecimal() and len(last_seen) < 10 else after
    tenant_id, job_id = watched.job.tenant_id, watched.job.id
    end = asyncio.get_running_loop().time() + STREAM_S
    while asyncio.get_running_loop().time() < end and not await request.is_disconnected():
        events = await events_after(service.engine, tenant_id, job_id, seq, KEEP_ALIVE_S)
        if not events:
            yield ServerSentEvent(comment="waiting")
        for event in events:
            told = event_out(event, scores=watched.scores)
            seq = event.seq
            yield ServerSentEvent(
                id=str(seq), event=event.kind, data=told.model_dump(mode="json"), retry=1000
            )
        if _is_over(service, tenant_id, job_id, [e.kind for e in events]):
            return


@router.get("/v1/jobs/{job_id}/history")
def list_events(
    service: ServiceDep, watched: WatchedDep, after: Annotated[int, Query(ge=0, le=2**31)] = 0
) -> Listing[JobEventOut]:
    """What has happened to a job so far, in order; for clients that cannot read streams."""
    events = service.engine.events(watched.job.tenant_id, watched.job.id, after=after)
    return Listing(items=tuple(event_out(event, scores=watched.scores) for event in events))


def _is_over(service: Service, tenant_id: str, job_id: str, kinds: list[str]) -> bool:
    """Whether the last event was final, or nothing new can come for an ended job."""
    if kinds:
        return kinds[-1] in _FINAL
    return service.engine.status(tenant_id, job_id).status.is_final
