"""Rubrics: reading them whole, and writing one's own, version by version."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse, Response

from grader.api.auth import Principal, needs
from grader.api.etags import IfMatch, seen_version
from grader.api.intake import read_question
from grader.api.pages import Listing, PlaceDep
from grader.api.parameters import IdPath
from grader.api.problems import ApiError, bad_field
from grader.api.schemas.rubrics import RUBRIC_EXAMPLE, RubricOut, RubricVersionOut
from grader.api.scopes import Scope
from grader.api.service import ServiceDep
from grader.bank.version import file_version, rubric_version
from grader.domain.question import Question
from grader.errors import ErrorCode
from grader.store.errors import ConflictError
from grader.store.records.teaching import RubricVersion

router = APIRouter(tags=["rubrics"])
Reader = Annotated[Principal, needs(Scope.RUBRICS_READ)]
Writer = Annotated[Principal, needs(Scope.RUBRICS_WRITE)]
Content = Annotated[
    dict[str, Any],
    Body(description="A question in the rubric format, as JSON.", examples=[RUBRIC_EXAMPLE]),
]


@router.get("/v1/rubrics/{question_id}", response_model=RubricOut)
def get_rubric(question_id: IdPath, service: ServiceDep, who: Reader) -> Response:
    """A whole question with its rubric; its ETag is what a writer sends as If-Match."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        question = service.catalogue.question(store, question_id)
        own = store.rubrics.head(question_id) is not None
    return _reply(_out(question, own=own), 200)


@router.get("/v1/rubrics/{question_id}/versions")
def list_versions(
    question_id: IdPath, service: ServiceDep, who: Reader, place: PlaceDep
) -> Listing[RubricVersionOut]:
    """The versions of a question that the tenant has kept, latest first."""
    with service.database.reading() as unit:
        page = unit.of(who.tenant_id).rubrics.versions(
            question_id, cursor=place.cursor, limit=place.limit
        )
    return Listing(items=tuple(_version(v) for v in page.items), next_cursor=page.next_cursor)


@router.put(
    "/v1/rubrics/{question_id}",
    response_model=RubricOut,
    responses={201: {"model": RubricOut, "description": "Written for the first time."}},
)
def put_rubric(
    question_id: IdPath,
    content: Content,
    service: ServiceDep,
    who: Writer,
    if_match: IfMatch = None,
) -> Response:
    """Makes a question the tenant's own, or its next version.

    `If-Match` is the ETag that was read; `*` for a question that the tenant has not written yet.
    What was graded by earlier versions stays as it is.
    """
    expected = seen_version(if_match)
    question = read_question(content, "")
    if question.id != question_id:
        raise bad_field("/id", f"is {question.id!r}, but the address says {question_id!r}")
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        head = store.rubrics.head(question_id)
        if head is None and expected is not None:
            _demand_bank_version(service.catalogue.question(store, question_id), expected)
            expected = None
        try:
            store.rubrics.write(question, expected=expected, author_id=who.user_id)
        except ConflictError as error:
            raise ApiError(
                ErrorCode.PRECONDITION_FAILED, error.message, remedy=error.remedy
            ) from error
    return _reply(_out(question, own=True), 200 if head else 201)


def _demand_bank_version(question: Question, expected: str) -> None:
    """The first own version of a bank's question may name the bank's version as what was read."""
    if file_version(question) != expected:
        raise ApiError(
            ErrorCode.PRECONDITION_FAILED,
            f"the question {question.id!r} is not at version {expected}",
            remedy="read it again, and write with the version you have read",
        )


def _reply(body: RubricOut, status: int) -> Response:
    headers = {"ETag": f'"{body.file_version}"'}
    return JSONResponse(body.model_dump(mode="json"), status, headers)


def _out(question: Question, *, own: bool) -> RubricOut:
    return RubricOut(
        question_id=question.id,
        file_version=file_version(question),
        rubric_version=rubric_version(question),
        own=own,
        content=question.model_dump(mode="json", by_alias=True),
    )


def _version(version: RubricVersion) -> RubricVersionOut:
    return RubricVersionOut(
        question_id=version.question_id,
        file_version=version.file_version,
        rubric_version=version.version,
        author_id=version.author_id,
        created_at=version.created_at,
    )
