"""Spoken answers: a recording is handed in, recognised and graded like a typed answer."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import Response

from grader.api.auth import Principal, needs
from grader.api.door import body_too_large
from grader.api.idempotency import KeyHeader, Once, Reply, once
from grader.api.intake import Accepted, Prepared, accept, accepted_reply, took_in
from grader.api.limits import take_quota
from grader.api.problems import ApiError
from grader.api.recordings import media_type_of
from grader.api.schemas.base import Identifier, Line
from grader.api.schemas.submissions import SpokenIn, SubmissionOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.errors import ErrorCode

router = APIRouter(tags=["submissions"])
Writer = Annotated[Principal, needs(Scope.SUBMISSIONS_WRITE)]


@router.post("/v1/submissions:spoken", status_code=202, response_model=SubmissionOut)
async def submit_spoken(
    request: Request,
    service: ServiceDep,
    who: Writer,
    recording: Annotated[UploadFile, File(description="WAV, FLAC, Ogg, WebM, MP3 or M4A.")],
    question_id: Annotated[Identifier, Form()],
    *,
    assignment_id: Annotated[Identifier | None, Form()] = None,
    external_id: Annotated[Line | None, Form()] = None,
    live: Annotated[bool, Form()] = False,
    key: KeyHeader = None,
) -> Response:
    """Hands in a spoken answer. What the file is, is told by its content."""
    if not service.capabilities.speech:
        raise ApiError(
            ErrorCode.SPEECH_UNAVAILABLE,
            "nothing here recognises speech",
            remedy="send text, or ask who runs the service to install a recogniser",
        )
    most = service.options.upload_bytes
    data = await recording.read(most + 1)
    if len(data) > most:
        raise body_too_large(most)
    given = SpokenIn(
        question_id=question_id, assignment_id=assignment_id, external_id=external_id, live=live
    )
    repeat = once(request, key, given.model_dump_json().encode(), data)
    reply, replayed = await asyncio.to_thread(_submit, service, who, given, data, repeat)
    return reply.response(replayed=replayed)


def _submit(
    service: Service, who: Principal, given: SpokenIn, data: bytes, repeat: Once
) -> tuple[Reply, bool]:
    media_type = media_type_of(data)
    digest = service.blobs.put(who.tenant_id, data)
    prepared = Prepared(given, audio=(digest, len(data), media_type))
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
