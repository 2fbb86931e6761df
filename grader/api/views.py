"""Stored things as a client sees them: everything for staff, nothing of the rubric for learners."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from grader.api.auth import Principal
from grader.api.opening import shown_feedback
from grader.api.review import review_is_open
from grader.api.schemas.grades import EvidenceOut, GradeOut, VerdictOut
from grader.api.schemas.jobs import JobEventOut, JobOut
from grader.api.schemas.submissions import SubmissionOut
from grader.api.standing import HUMAN, standing_grade
from grader.domain.grade import Grade
from grader.domain.verdict import Verdict
from grader.store.records.grading import Job, JobEvent, JobStatus, StoredGrade
from grader.store.records.teaching import Assignment, Feedback
from grader.store.records.work import Submission
from grader.store.unit import TenantStore


def submission_out(
    store: TenantStore, who: Principal, submission: Submission, now: datetime
) -> SubmissionOut:
    """A submission with its grade, as far as the one who asks may see it."""
    assignment = _assignment(store, submission)
    feedback = Feedback.FULL if who.sees_grades else shown_feedback(assignment, now)
    held = feedback is Feedback.AFTER_RELEASE
    return fresh_out(submission, store.jobs.get(submission.id)).model_copy(
        update={
            "grade": _shown(store, who, submission, feedback, now),
            "grade_from": assignment.release_at if assignment and held else None,
        }
    )


def fresh_out(submission: Submission, job: Job) -> SubmissionOut:
    """A submission that has no grade yet."""
    return SubmissionOut(
        id=submission.id,
        status=job.status,
        kind=submission.kind,
        question_id=submission.question_id,
        rubric_version=submission.rubric_version,
        file_version=submission.file_version,
        text=submission.text,
        text_repaired=submission.text_repaired,
        external_id=submission.external_id,
        labels={str(k): str(v) for k, v in submission.labels.items()},
        user_id=submission.user_id,
        assignment_id=submission.assignment_id,
        attempt_id=submission.attempt_id,
        batch_id=submission.batch_id,
        parent_id=submission.parent_id,
        test=submission.test,
        cause=job.cause,
        stage=job.stage,
        created_at=submission.created_at,
    )


def _shown(
    store: TenantStore, who: Principal, submission: Submission, feedback: Feedback, now: datetime
) -> GradeOut | None:
    """The grade that counts, unless it is held back."""
    held = feedback is Feedback.AFTER_RELEASE
    stored = None if held else store.grades.current(submission.id)
    if stored is None:
        return None
    return grade_out(store, who, submission, stored, feedback=feedback, now=now)


def grade_out(
    store: TenantStore,
    who: Principal,
    submission: Submission,
    stored: StoredGrade,
    *,
    feedback: Feedback,
    now: datetime,
) -> GradeOut:
    """A grade with the verdicts of people over those of the judge."""
    overrides = store.overrides.standing(submission.id)
    grade = stored.grade
    if overrides:
        question = store.rubrics.question(store.jobs.get(stored.job_id).file_version)
        grade = standing_grade(question, grade, overrides)
    full = _grade_out(stored, grade)
    if who.sees_grades:
        return full
    named = stored.code_result is not None or review_is_open(store, submission, now)
    return learners_grade(full, feedback, named=named)


def learners_grade(grade: GradeOut, feedback: Feedback, *, named: bool) -> GradeOut:
    """A grade as its learner sees it.

    Args:
        grade: The whole of it.
        feedback: Whether more than the score is shown.
        named: Whether signals bear their own names: a name may give its signal away.
    """
    if feedback is not Feedback.FULL:
        return grade.model_copy(update={"verdicts": (), "overridden": (), "code": None})
    names = {
        v.signal_id: v.signal_id if named else f"s{n}" for n, v in enumerate(grade.verdicts, 1)
    }
    return grade.model_copy(
        update={
            "verdicts": tuple(
                v.model_copy(update={"signal_id": names[v.signal_id], "comment": ""})
                for v in grade.verdicts
            ),
            "overridden": tuple(names[s] for s in grade.overridden),
        }
    )


def signal_named(store: TenantStore, submission: Submission, name: str) -> str | None:
    """The id of the signal that a client names, by its id or its number; None where unknown."""
    numbers = _numbers(store, submission)
    return name if name in numbers else {n: i for i, n in numbers.items()}.get(name)


def signal_shown(store: TenantStore, who: Principal, submission: Submission, signal_id: str) -> str:
    """A signal's name as the one who asks knows it."""
    return signal_id if who.sees_grades else _numbers(store, submission).get(signal_id, "s0")


def _numbers(store: TenantStore, submission: Submission) -> dict[str, str]:
    """The numbers of the signals by their ids, in the order of the rubric."""
    question = store.rubrics.question(submission.file_version)
    return {signal.id: f"s{n}" for n, signal in enumerate(question.signals, 1)}


def job_out(job: Job) -> JobOut:
    """A job without what only the engine needs."""
    return JobOut(
        id=job.id,
        submission_id=job.submission_id,
        kind=job.kind,
        status=job.status,
        stage=job.stage,
        cause=job.cause,
        queue=job.queue,
        judge=job.judge,
        dry_run=job.dry_run,
        executions=job.epoch,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
    )


def event_out(event: JobEvent, *, scores: bool) -> JobEventOut:
    """An event; without ``scores`` the last one does not say how it came out."""
    hidden = event.kind == JobStatus.DONE and not scores
    data: Mapping[str, Any] = {} if hidden else event.data
    return JobEventOut(seq=event.seq, kind=event.kind, data=dict(data), at=event.at)


def sees_scores(store: TenantStore, who: Principal, submission: Submission, now: datetime) -> bool:
    """Whether the one who asks may know the score by now."""
    if who.sees_grades:
        return True
    return shown_feedback(_assignment(store, submission), now) is not Feedback.AFTER_RELEASE


def _grade_out(stored: StoredGrade, grade: Grade) -> GradeOut:
    return GradeOut(
        job_id=stored.job_id,
        score=grade.score,
        low=grade.low,
        high=grade.high,
        provisional=grade.provisional,
        question_id=grade.question_id,
        rubric_version=grade.rubric_version,
        draw_seed=grade.draw_seed,
        flags=grade.flags,
        verdicts=tuple(_verdict_out(v) for v in grade.verdicts),
        overridden=tuple(v.signal_id for v in grade.verdicts if v.judge == HUMAN),
        code=dict(stored.code_result) if stored.code_result is not None else None,
        created_at=stored.created_at,
    )


def _verdict_out(verdict: Verdict) -> VerdictOut:
    return VerdictOut(
        signal_id=verdict.signal_id,
        outcome=verdict.outcome,
        confidence=verdict.confidence,
        evidence=tuple(
            EvidenceOut(start=e.start, end=e.end, quote=e.quote) for e in verdict.evidence
        ),
        reasons=verdict.reasons,
        judge=verdict.judge,
        comment=verdict.comment,
    )


def _assignment(store: TenantStore, submission: Submission) -> Assignment | None:
    if submission.assignment_id is None:
        return None
    return store.assignments.get(submission.assignment_id)
