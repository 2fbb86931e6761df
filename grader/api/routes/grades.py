"""Grades: their history, grading again, the verdicts of people, and the learner's review."""

from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import Response as AnyResponse

from grader.api.auth import Principal, needs
from grader.api.idempotency import OnceDep, Reply
from grader.api.pages import Listing
from grader.api.parameters import IdPath
from grader.api.problems import ApiError, bad_field
from grader.api.review import review_is_open
from grader.api.schemas.grades import (
    GradeOut,
    MissedOut,
    OverrideIn,
    OverrideOut,
    RegradeIn,
    ReviewOut,
)
from grader.api.schemas.jobs import JobOut
from grader.api.scopes import Scope
from grader.api.service import Service, ServiceDep
from grader.api.sight import seen_submission
from grader.api.standing import standing_grade
from grader.api.views import grade_out, job_out
from grader.bank.draw import draw_question
from grader.domain.question import SignalKind
from grader.domain.verdict import Outcome
from grader.engine.port import OFFLINE, JobOrder
from grader.errors import ErrorCode, QuestionUnknownError
from grader.store.errors import NotFoundError
from grader.store.records.grading import JobKind, Override
from grader.store.records.teaching import Feedback
from grader.store.records.work import Submission
from grader.store.unit import TenantStore

router = APIRouter(tags=["grades"])
Reader = Annotated[Principal, needs(Scope.GRADES_READ)]
Writer = Annotated[Principal, needs(Scope.GRADES_READ, Scope.GRADES_WRITE)]
Learner = Annotated[Principal, needs(Scope.SUBMISSIONS_READ)]


@router.get("/v1/submissions/{submission_id}/grades")
def list_grades(submission_id: IdPath, service: ServiceDep, who: Reader) -> Listing[GradeOut]:
    """Every grade of a submission, latest first, dry runs too."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        items = tuple(
            grade_out(store, who, submission, stored, feedback=Feedback.FULL, now=unit.now)
            for stored in store.grades.history(submission_id)
        )
    return Listing(items=items)


@router.post("/v1/submissions/{submission_id}:regrade", status_code=202, response_model=JobOut)
def regrade(
    submission_id: IdPath, given: RegradeIn, service: ServiceDep, who: Writer, repeat: OnceDep
) -> AnyResponse:
    """Grades a submission again: by the question as it is now, or by a pinned version.

    A dry run keeps its grade without letting it count.
    """
    _demand_judge(service, given)
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)

        def deed() -> Reply:
            submission = seen_submission(store, who, submission_id)
            order = JobOrder(
                who.tenant_id,
                submission.id,
                judge=OFFLINE if who.test else given.judge or service.options.judge,
                kind=JobKind.REGRADE,
                file_version=_version(service, store, submission, given.file_version),
                dry_run=given.dry_run,
            )
            job = job_out(service.engine.submit(unit, order))
            headers = {"Location": f"/v1/jobs/{job.id}", "Retry-After": "1"}
            return Reply(status=202, body=job.model_dump(mode="json"), headers=headers)

        reply, replayed = repeat.do(store, deed)
    return reply.response(replayed=replayed)


@router.get("/v1/submissions/{submission_id}/overrides")
def list_overrides(submission_id: IdPath, service: ServiceDep, who: Reader) -> Listing[OverrideOut]:
    """The verdicts of people on a submission, in order, withdrawn ones too."""
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        seen_submission(store, who, submission_id)
        return Listing(items=tuple(_out(o) for o in store.overrides.history(submission_id)))


@router.post("/v1/submissions/{submission_id}/overrides", status_code=201)
def add_override(
    submission_id: IdPath, given: OverrideIn, service: ServiceDep, who: Writer, response: Response
) -> OverrideOut:
    """A person's verdict on a signal: it wins over the judge's, and erases nothing."""
    with service.database.writing() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        question = store.rubrics.question(submission.file_version)
        if given.signal_id not in {s.id for s in question.signals}:
            raise bad_field("/signal_id", f"the question has no signal {given.signal_id!r}")
        made = store.overrides.add(
            submission_id, given.signal_id, given.outcome, given.reason, who.author
        )
    response.headers["Location"] = f"/v1/submissions/{submission_id}/overrides"
    return _out(made)


@router.delete("/v1/overrides/{override_id}")
def withdraw_override(override_id: IdPath, service: ServiceDep, who: Writer) -> OverrideOut:
    """Takes a person's verdict back; it stays in the history."""
    with service.database.writing() as unit:
        return _out(unit.of(who.tenant_id).overrides.withdraw(override_id))


@router.get("/v1/submissions/{submission_id}/review")
def get_review(submission_id: IdPath, service: ServiceDep, who: Learner) -> ReviewOut:
    """The model answer and what was missed, once the attempt is handed in for good.

    In an assignment, its results must be released and no attempt may be left.
    """
    with service.database.reading() as unit:
        store = unit.of(who.tenant_id)
        submission = seen_submission(store, who, submission_id)
        if not (who.sees_grades or review_is_open(store, submission, unit.now)):
            raise ApiError(
                ErrorCode.NOT_RELEASED,
                "the review is not open yet",
                remedy="finish the attempt; in an assignment, wait for its release",
            )
        return _review(store, submission)


def _review(store: TenantStore, submission: Submission) -> ReviewOut:
    stored = store.grades.current(submission.id)
    if stored is None:
        raise NotFoundError("grade", submission.id)
    kept = store.rubrics.question(store.jobs.get(stored.job_id).file_version)
    question = draw_question(kept, submission.draw_seed)
    grade = standing_grade(kept, stored.grade, store.overrides.standing(submission.id))
    outcomes = {v.signal_id: v.outcome for v in grade.verdicts}
    missed = tuple(
        MissedOut(signal_id=s.id, outcome=outcomes[s.id], statement=s.statement)
        for s in question.signals
        if s.kind is SignalKind.POSITIVE and outcomes.get(s.id, Outcome.MET) is not Outcome.MET
    )
    return ReviewOut(submission_id=submission.id, model_answer=question.model_answer, missed=missed)


def _demand_judge(service: Service, given: RegradeIn) -> None:
    if given.judge is not None and given.judge not in service.capabilities.judges:
        raise bad_field("/judge", f"there is no judge {given.judge!r} here")


def _version(
    service: Service, store: TenantStore, submission: Submission, pinned: str | None
) -> str:
    if pinned is None:
        try:
            return service.catalogue.version(store, submission.question_id).file_version
        except QuestionUnknownError:
            return submission.file_version
    try:
        version = store.rubrics.get(pinned)
    except NotFoundError as error:
        raise bad_field("/file_version", error.message) from error
    if version.question_id != submission.question_id:
        raise bad_field("/file_version", f"is of the question {version.question_id!r}")
    return version.file_version


def _out(made: Override) -> OverrideOut:
    return OverrideOut(
        id=made.id,
        submission_id=made.submission_id,
        signal_id=made.signal_id,
        outcome=Outcome(made.outcome),
        reason=made.reason,
        author_id=made.author_id,
        created_at=made.created_at,
        withdrawn_at=made.withdrawn_at,
    )
