"""Questions: what a learner may see of them."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from grader.api.auth import Principal, needs
from grader.api.etags import tagged
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.places import part_of
from grader.api.schemas.base import Identifier
from grader.api.schemas.questions import QuestionOut, question_out
from grader.api.scopes import Scope
from grader.api.service import ServiceDep
from grader.api.starters import starter_of
from grader.domain.question import QuestionKind

router = APIRouter(tags=["questions"])
Reader = Annotated[Principal, needs(Scope.QUESTIONS_READ)]


@router.get("/v1/questions")
def list_questions(
    service: ServiceDep,
    who: Reader,
    place: PlaceDep,
    kind: Annotated[QuestionKind | None, Query()] = None,
    topic: Annotated[Identifier | None, Query()] = None,
) -> Listing[QuestionOut]:
    """The questions of the bank and the tenant's own, by id."""
    with service.database.reading() as unit:
        found = service.catalogue.questions(unit.of(who.tenant_id))
    wanted = [
        q for q in found if (kind is None or q.kind is kind) and (topic is None or q.topic == topic)
    ]
    part, following = part_of(wanted, lambda q: q.id, place.cursor, place.limit)
    return Listing(items=tuple(question_out(q) for q in part), next_cursor=following)


@router.get("/v1/questions/{question_id}", response_model=QuestionOut)
def get_question(
    question_id: IdPath, request: Request, service: ServiceDep, who: Reader
) -> Response:
    """One question, without its rubric."""
    with service.database.reading() as unit:
        question = service.catalogue.question(unit.of(who.tenant_id), question_id)
    starter = starter_of(service.settings.bank_dirs, question)
    return tagged(request, question_out(question, starter=starter))
