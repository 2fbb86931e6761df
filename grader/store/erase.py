"""Erasing what learners gave, and what outlives its time.

Texts go, scores may stay: a grade without text stands under a random person. What goes is listed
here table by table, so that a new table with text in it has one place to be added to.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import String, cast, delete, or_, select, update
from sqlalchemy.orm import Session

from grader.store.ids import new_id
from grader.store.tables.accounts import CallTableRow, IdempotencyRow
from grader.store.tables.grading import (
    ContestRow,
    GradeRow,
    JobEventRow,
    JobRow,
    OverrideRow,
    VerdictRow,
)
from grader.store.tables.operations import BlobRow, DeliveryRow
from grader.store.tables.teaching import MemberRow
from grader.store.tables.tenancy import ApiKeyRow, UserRoleRow, UserRow
from grader.store.tables.work import AttemptRow, DraftRow, SubmissionRow, TakeRow
from grader.store.unit import Unit

ERASED = "(erased)"


@dataclass(frozen=True)
class Erased:
    """What was erased, and what is left to do outside the database.

    Attributes:
        job_ids: Of which the engine keeps inputs and outputs.
        blobs: SHA-256 of files that nothing refers to any more.
    """

    job_ids: tuple[str, ...]
    blobs: tuple[str, ...]


def erase_person(unit: Unit, tenant_id: str, user_id: str) -> Erased:
    """Erases what a person gave, and who they are.

    Raises:
        NotFoundError: No such person in this tenant.
    """
    unit.of(tenant_id).users.get(user_id)
    session = unit.session
    attempts = _ids(session, AttemptRow.id, AttemptRow.tenant_id == tenant_id, user_id)
    submissions = _ids(session, SubmissionRow.id, SubmissionRow.tenant_id == tenant_id, user_id)
    blobs = _erase_attempts(session, tenant_id, attempts)
    erased = _erase_submissions(session, tenant_id, submissions, unit.now)
    _erase_identity(session, tenant_id, user_id, unit.now)
    return Erased(erased.job_ids, _unused(session, tenant_id, {*blobs, *erased.blobs}))


def erase_submissions(unit: Unit, tenant_id: str, submission_ids: Sequence[str]) -> Erased:
    """Erases the texts of single submissions."""
    erased = _erase_submissions(unit.session, tenant_id, submission_ids, unit.now)
    return Erased(erased.job_ids, _unused(unit.session, tenant_id, erased.blobs))


def erase_audio(unit: Unit, tenant_id: str, before: datetime) -> Erased:
    """Erases recordings older than a moment; what was heard stays."""
    blobs: set[str] = set()
    for row_class in (TakeRow, SubmissionRow):
        scope = (
            row_class.tenant_id == tenant_id,
            row_class.created_at < before,
            row_class.audio_blob.is_not(None),
        )
        blobs |= set(unit.session.scalars(select(row_class.audio_blob).where(*scope)))
        unit.session.execute(update(row_class).where(*scope).values(audio_blob=None))
    return Erased((), _unused(unit.session, tenant_id, blobs))


def submissions_before(unit: Unit, tenant_id: str, before: datetime) -> tuple[str, ...]:
    """Submissions whose texts have outlived a moment."""
    statement = select(SubmissionRow.id).where(
        SubmissionRow.tenant_id == tenant_id,
        SubmissionRow.created_at < before,
        SubmissionRow.erased_at.is_(None),
    )
    return tuple(unit.session.scalars(statement))


def _erase_attempts(session: Session, tenant_id: str, attempts: Sequence[str]) -> set[str]:
    of_takes = (TakeRow.tenant_id == tenant_id, TakeRow.attempt_id.in_(attempts))
    blobs = {b for b in session.scalars(select(TakeRow.audio_blob).where(*of_takes)) if b}
    session.execute(delete(TakeRow).where(*of_takes))
    session.execute(
        delete(DraftRow).where(DraftRow.tenant_id == tenant_id, DraftRow.attempt_id.in_(attempts))
    )
    return blobs


def _erase_submissions(
    session: Session, tenant_id: str, submissions: Sequence[str], now: datetime
) -> Erased:
    chosen = (SubmissionRow.tenant_id == tenant_id, SubmissionRow.id.in_(submissions))
    rows = session.execute(select(SubmissionRow.audio_blob, SubmissionRow.code_blob).where(*chosen))
    blobs = {blob for row in rows for blob in row if blob}
    session.execute(
        update(SubmissionRow)
        .where(*chosen)
        .values(
            text=None,
            transcript=None,
            audio_blob=None,
            code_blob=None,
            external_id=None,
            labels={},
            erased_at=now,
        )
    )
    jobs = tuple(
        session.scalars(
            select(JobRow.id).where(
                JobRow.tenant_id == tenant_id, JobRow.submission_id.in_(submissions)
            )
        )
    )
    _erase_jobs(session, tenant_id, jobs)
    _erase_opinions(session, tenant_id, submissions)
    _erase_replies(session, tenant_id, submissions)
    return Erased(jobs, tuple(blobs))


def _erase_jobs(session: Session, tenant_id: str, jobs: Sequence[str]) -> None:
    """Open jobs end; events, quotes, comments, code results, calls and messages lose their text."""
    now_final = ("done", "failed", "cancelled")
    session.execute(
        update(JobRow)
        .where(JobRow.tenant_id == tenant_id, JobRow.id.in_(jobs), JobRow.status.not_in(now_final))
        .values(status="cancelled", stage="")
    )
    for row_class, values in (
        (JobEventRow, {"data": {}}),
        (VerdictRow, {"evidence": [], "comment": ""}),
        (GradeRow, {"code_result": None}),
        (DeliveryRow, {"body": {}, "last_error": "", "state": "given_up", "next_at": None}),
    ):
        _set(session, row_class, tenant_id, row_class.job_id.in_(jobs), values)
    session.execute(
        update(CallTableRow)
        .where(CallTableRow.tenant == tenant_id, CallTableRow.run.in_(jobs))
        .values(request="", reply="")
    )


def _erase_replies(session: Session, tenant_id: str, submissions: Sequence[str]) -> None:
    """Kept replies that name a submission, wherever in them."""
    reply = cast(IdempotencyRow.response, String)
    for submission in submissions:
        session.execute(
            delete(IdempotencyRow).where(
                IdempotencyRow.tenant_id == tenant_id, reply.contains(submission)
            )
        )


def _erase_opinions(session: Session, tenant_id: str, submissions: Sequence[str]) -> None:
    _set(
        session,
        ContestRow,
        tenant_id,
        ContestRow.submission_id.in_(submissions),
        {"text": ERASED, "reply": ""},
    )
    _set(
        session,
        OverrideRow,
        tenant_id,
        OverrideRow.submission_id.in_(submissions),
        {"reason": ERASED},
    )


def _erase_identity(session: Session, tenant_id: str, user_id: str, now: datetime) -> None:
    """The person becomes a random one; their keys, roles and memberships go."""
    for held in (UserRoleRow, MemberRow, ApiKeyRow):
        session.execute(delete(held).where(held.tenant_id == tenant_id, held.user_id == user_id))
    stranger = new_id("usr")
    session.add(
        UserRow(
            id=stranger,
            tenant_id=tenant_id,
            name=ERASED,
            created_at=now,
            disabled_at=now,
            erased_at=now,
        )
    )
    session.flush()
    for given in (AttemptRow, SubmissionRow):
        _set(session, given, tenant_id, given.user_id == user_id, {"user_id": stranger})
    session.execute(delete(UserRow).where(UserRow.tenant_id == tenant_id, UserRow.id == user_id))


def _unused(session: Session, tenant_id: str, blobs: Iterable[str]) -> tuple[str, ...]:
    """Those of the files that no row refers to any more; their entries go."""
    unused = []
    for blob in sorted(set(blobs)):
        used = session.scalar(
            select(SubmissionRow.id)
            .where(
                SubmissionRow.tenant_id == tenant_id,
                or_(SubmissionRow.audio_blob == blob, SubmissionRow.code_blob == blob),
            )
            .limit(1)
        ) or session.scalar(
            select(TakeRow.id)
            .where(TakeRow.tenant_id == tenant_id, TakeRow.audio_blob == blob)
            .limit(1)
        )
        if used is None:
            session.execute(
                delete(BlobRow).where(BlobRow.tenant_id == tenant_id, BlobRow.sha256 == blob)
            )
            unused.append(blob)
    return tuple(unused)


def _ids(session: Session, column: Any, scope: Any, user_id: str) -> tuple[str, ...]:
    owner = column.class_.user_id
    return tuple(session.scalars(select(column).where(scope, owner == user_id)))


def _set(
    session: Session, row_class: Any, tenant_id: str, chosen: Any, values: dict[str, Any]
) -> None:
    session.execute(
        update(row_class).where(row_class.tenant_id == tenant_id, chosen).values(**values)
    )
