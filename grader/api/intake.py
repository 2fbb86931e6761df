"""Taking submissions in: what is checked before, and what one transaction then does."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from grader.api.auth import Principal
from grader.api.idempotency import Reply
from grader.api.limits import quota_headers
from grader.api.opening import demand_open
from grader.api.problems import ApiError, bad_field, faults_of, invalid
from grader.api.schemas.submissions import AnswerIn, CodeIn, InlineAnswerIn, SpokenIn
from grader.api.scopes import Scope
from grader.api.service import Service
from grader.api.sight import demand_sight
from grader.api.views import fresh_out
from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.engine.port import JobOrder
from grader.errors import ErrorCode, QuestionUnknownError
from grader.exercises.submission import SubmissionError, submission_of
from grader.store.errors import NotFoundError
from grader.store.records.grading import Job
from grader.store.records.operations import QuotaState
from grader.store.records.teaching import Assignment, RubricVersion
from grader.store.records.work import NewSubmission, Submission, SubmissionKind
from grader.store.unit import TenantStore, Unit

GivenSubmission = AnswerIn | InlineAnswerIn | CodeIn | SpokenIn
_SOURCE_TYPE = "text/x-python"


@dataclass(frozen=True)
class Prepared:
    """A submission that has passed what can be checked without the store.

    Attributes:
        place: Where it stands in the request, as a pointer.
        question: Given inline; None for one of the bank.
        code: SHA-256 and size of the source, kept already.
        audio: SHA-256, size and media type of the recording, kept already.
    """

    given: GivenSubmission
    place: str = ""
    question: Question | None = None
    code: tuple[str, int] | None = None
    audio: tuple[str, int, str] | None = None

    @property
    def kind(self) -> SubmissionKind:
        """How the answer came in."""
        if self.code is not None:
            return SubmissionKind.CODE
        return SubmissionKind.TEXT if self.audio is None else SubmissionKind.SPEECH

    @property
    def answer(self) -> Answer | None:
        """The typed answer; None for code and speech."""
        return None if isinstance(self.given, CodeIn | SpokenIn) else self.given.text


@dataclass(frozen=True)
class Accepted:
    """A submission that was taken in, with its job."""

    submission: Submission
    job: Job
    version: RubricVersion


def prepare(
    service: Service, who: Principal, given: GivenSubmission, *, place: str = ""
) -> Prepared:
    """Checks a submission, and keeps its source.

    Raises:
        ApiError: Something in it cannot be used, or the key does not allow it.
    """
    if given.judge is not None and given.judge not in service.capabilities.judges:
        raise bad_field(
            f"{place}/judge",
            f"there is no judge {given.judge!r} here",
            remedy=f"use one of {', '.join(service.capabilities.judges)}",
        )
    if isinstance(given, InlineAnswerIn):
        return Prepared(given, place, question=_inline(who, given, place))
    if isinstance(given, CodeIn):
        return Prepared(given, place, code=_kept_source(service, who, given, place))
    return Prepared(given, place)


def accept(
    service: Service,
    unit: Unit,
    who: Principal,
    prepared: Prepared,
    *,
    attempt_id: str | None = None,
    batch_id: str | None = None,
    signals: tuple[str, ...] | None = None,
    draw_seed: int | None = None,
) -> Accepted:
    """Keeps a submission and queues its job, in the caller's transaction.

    Raises:
        ApiError: It names something that is not there or not open.
    """
    store, given, place = unit.of(who.tenant_id), prepared.given, prepared.place
    version = _version(service, store, prepared)
    user_id = _learner(store, who, given, place)
    if given.assignment_id is not None:
        assignment = demand_open(
            store, who, given.assignment_id, version.question_id, now=unit.now, place=place
        )
        _demand_attempt(who, assignment, attempt_id)
    if given.parent_id is not None:
        _demand_parent(store, who, given.parent_id, place)
    _note_files(store, prepared)
    answer = prepared.answer
    submission = store.submissions.add(
        NewSubmission(
            kind=prepared.kind,
            question_id=version.question_id,
            file_version=version.file_version,
            rubric_version=version.version,
            text=answer.text if answer else None,
            text_repaired=answer is not None and answer.text_repaired,
            audio_blob=prepared.audio[0] if prepared.audio else None,
            code_blob=prepared.code[0] if prepared.code else None,
            signals=signals,
            draw_seed=draw_seed,
            user_id=user_id,
            attempt_id=attempt_id,
            assignment_id=given.assignment_id,
            parent_id=given.parent_id,
            batch_id=batch_id,
            external_id=given.external_id,
            labels=given.labels,
            test=who.test,
        )
    )
    return Accepted(submission, queue(service, unit, who, submission, given), version)


def queue(
    service: Service, unit: Unit, who: Principal, submission: Submission, given: GivenSubmission
) -> Job:
    """Queues the first job of a submission."""
    order = JobOrder(
        who.tenant_id,
        submission.id,
        judge=given.judge or service.options.judge,
        live=given.live,
    )
    return service.engine.submit(unit, order)


def accepted_reply(accepted: Accepted, quota: QuotaState) -> Reply:
    """The reply to a submission that was taken in: 202, and where to ask about it."""
    body = fresh_out(accepted.submission, accepted.job)
    headers = {
        "Location": f"/v1/submissions/{body.id}",
        "Retry-After": "1",
        **quota_headers(quota),
    }
    return Reply(status=202, body=body.model_dump(mode="json"), headers=headers)


def took_in(service: Service, accepted: Accepted) -> None:
    """What is noted after the commit."""
    service.catalogue.remember(accepted.submission.tenant_id, accepted.version)
    service.metrics.accepted(accepted.submission.kind.value)


def _note_files(store: TenantStore, prepared: Prepared) -> None:
    if prepared.code is not None:
        digest, size = prepared.code
        store.blobs.add(digest, size, _SOURCE_TYPE, "code")
    if prepared.audio is not None:
        digest, size, media_type = prepared.audio
        store.blobs.add(digest, size, media_type, "audio")


def _inline(who: Principal, given: InlineAnswerIn, place: str) -> Question:
    if not who.may(Scope.RUBRICS_WRITE):
        raise ApiError(
            ErrorCode.FORBIDDEN,
            f"a rubric of one's own needs the scope {Scope.RUBRICS_WRITE.value!r}",
            remedy="send question_id, or use a key that has it",
        )
    return read_question(given.rubric, f"{place}/rubric")


def read_question(content: object, place: str) -> Question:
    """A question in the rubric format, given as JSON.

    Raises:
        ApiError: It is none; every fault is listed.
    """
    try:
        return Question.model_validate(content)
    except ValidationError as error:
        raise invalid(faults_of(error.errors(include_url=False), prefix=place)) from error
    except RecursionError as error:
        raise bad_field(place, "is nested too deeply") from error


def _kept_source(service: Service, who: Principal, given: CodeIn, place: str) -> tuple[str, int]:
    source = given.code.encode()
    try:
        submission_of(source)
    except SubmissionError as error:
        raise bad_field(f"{place}/code", error.message, remedy=error.remedy) from error
    return service.blobs.put(who.tenant_id, source), len(source)


def _version(service: Service, store: TenantStore, prepared: Prepared) -> RubricVersion:
    given, place = prepared.given, prepared.place
    if prepared.question is not None:
        return store.rubrics.keep(prepared.question)
    try:
        if isinstance(given, CodeIn):
            return service.catalogue.exercise(store, given.exercise_id)
        assert isinstance(given, AnswerIn | SpokenIn)
        return service.catalogue.version(store, given.question_id)
    except QuestionUnknownError as error:
        field = "exercise_id" if isinstance(given, CodeIn) else "question_id"
        raise bad_field(f"{place}/{field}", error.message, remedy=error.remedy) from error


def _learner(store: TenantStore, who: Principal, given: GivenSubmission, place: str) -> str | None:
    if given.user_id is None or given.user_id == who.user_id:
        return who.user_id
    if not who.sees_grades:
        raise ApiError(
            ErrorCode.FORBIDDEN,
            "this key may hand in for its own person only",
            remedy="leave user_id out",
        )
    return _found(lambda: store.users.get(given.user_id or "").id, f"{place}/user_id")


def _demand_parent(store: TenantStore, who: Principal, parent_id: str, place: str) -> None:
    def parent() -> str:
        found = store.submissions.get(parent_id)
        demand_sight(who, found)
        return found.id

    _found(parent, f"{place}/parent_id")


def _demand_attempt(who: Principal, assignment: Assignment, attempt_id: str | None) -> None:
    """Where attempts are counted, learners hand in within one."""
    if assignment.attempts_allowed is None or attempt_id is not None or who.sees_grades:
        return
    raise ApiError(
        ErrorCode.CONFLICT,
        "the assignment counts attempts",
        remedy="open one with POST /v1/attempts and hand in there",
    )


def _found(look: Callable[[], str], pointer: str) -> str:
    """What a body names must be there; an address of its own would answer 404."""
    try:
        return look()
    except NotFoundError as error:
        raise bad_field(pointer, error.message, remedy=error.remedy) from error
