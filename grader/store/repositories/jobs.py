"""Queries on jobs and their events.

What records an outcome carries a `Claim`. The claim holds only while its executor lives and
nobody else has claimed the job, and both are checked in the transaction that records: a process
that was declared dead and wakes up again records nothing.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, select, update

from grader.domain.grade import Grade
from grader.store.errors import ConflictError
from grader.store.ids import new_id
from grader.store.records.grading import (
    Claim,
    Job,
    JobEvent,
    JobKind,
    JobStatus,
    StoredGrade,
)
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.repositories.grades import Grades
from grader.store.tables.grading import (
    JobEventRow,
    JobRow,
)
from grader.store.tables.operations import ExecutorRow
from grader.store.tables.work import SubmissionRow

_OPEN = (JobStatus.QUEUED.value, JobStatus.RUNNING.value)


class FencedError(ConflictError):
    """The claim no longer holds: another process has the job, or it is cancelled."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(
            f"the claim {claim.epoch} of {claim.executor_id} on {claim.job_id!r} no longer holds",
            remedy="drop the result",
        )


class Jobs(Repository):
    """Jobs and what happened to them."""

    def add(
        self,
        submission_id: str,
        *,
        queue: str,
        priority: int,
        judge: str,
        file_version: str,
        kind: JobKind = JobKind.GRADE,
        dry_run: bool = False,
    ) -> Job:
        """Adds a queued job; the first one of a submission bears the submission's own id.

        Raises:
            NotFoundError: No such submission of this tenant.
        """
        self._demand_own(SubmissionRow, "submission", submission_id)
        row = JobRow(
            id=submission_id if kind is JobKind.GRADE else new_id("job"),
            tenant_id=self._tenant_id,
            submission_id=submission_id,
            kind=kind.value,
            queue=queue,
            priority=priority,
            judge=judge,
            file_version=file_version,
            dry_run=dry_run,
            status=JobStatus.QUEUED.value,
            stage="",
            cause="",
            epoch=0,
            event_seq=1,
            created_at=self._now,
        )
        self._add(row)
        self._write_event(row.id, 1, JobStatus.QUEUED.value, {"queue": queue})
        return record_of(Job, row)

    def get(self, job_id: str) -> Job:
        """The job of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Job, self._row(self._all().where(JobRow.id == job_id), "job", job_id))

    def list(
        self,
        *,
        status: JobStatus | None = None,
        queue: str | None = None,
        submission_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Job]:
        """Jobs, latest first."""
        wanted = {
            JobRow.status: status.value if status else None,
            JobRow.queue: queue,
            JobRow.submission_id: submission_id,
        }
        statement = self._all()
        for column, value in wanted.items():
            if value is not None:
                statement = statement.where(column == value)
        return self._page(
            statement,
            JobRow.created_at,
            JobRow.id,
            lambda row: record_of(Job, row),
            cursor=cursor,
            limit=limit,
        )

    def claim(self, job_id: str, executor_id: str) -> Claim | None:
        """Takes a job up for an executor; see `take_up`."""
        taken = self.take_up(job_id, executor_id)
        return taken[0] if taken else None

    def take_up(self, job_id: str, executor_id: str) -> tuple[Claim, Job] | None:
        """Takes a job up for an executor.

        Returns:
            The claim and the job; None where the job is final already, or the executor was
            declared dead.
        """
        if not self._lives(executor_id):
            return None
        row = self._session.scalars(
            self._all().where(JobRow.id == job_id).with_for_update()
        ).one_or_none()
        if row is None or row.status not in _OPEN:
            return None
        row.epoch += 1
        row.executor_id = executor_id
        row.status = JobStatus.RUNNING.value
        row.started_at = row.started_at or self._now
        row.event_seq += 1
        self._write_event(job_id, row.event_seq, JobStatus.RUNNING.value, {"execution": row.epoch})
        claim = Claim(job_id, self._tenant_id, executor_id, row.epoch)
        return claim, record_of(Job, row)

    def set_stage(self, claim: Claim, stage: str) -> None:
        """Says what the job is doing.

        Raises:
            FencedError: The claim no longer holds.
        """
        self._change(claim, "stage", {"stage": stage}, stage=stage)

    def fail(self, claim: Claim, cause: str) -> None:
        """Ends a job for a fault of ours.

        Raises:
            FencedError: The claim no longer holds.
        """
        self._finish(claim, JobStatus.FAILED, {"cause": cause}, cause=cause)

    def record(
        self, claim: Claim, grade: Grade, *, code_result: Mapping[str, Any] | None = None
    ) -> StoredGrade:
        """Ends a job with its grade, which counts from now on unless it is a dry run.

        Raises:
            FencedError: The claim no longer holds; nothing was recorded.
        """
        data = {"score": grade.score, "low": grade.low, "high": grade.high}
        submission_id, dry_run = self._finish(claim, JobStatus.DONE, data)
        grades = Grades(self._session, self._tenant_id, self._now)
        return grades._keep(claim.job_id, submission_id, grade, code_result, counts=not dry_run)

    def cancel(self, job_id: str) -> Job:
        """Ends a job that is not final yet; whatever still runs can record nothing."""
        row = self._row(self._all().where(JobRow.id == job_id).with_for_update(), "job", job_id)
        if row.status in _OPEN:
            row.status = JobStatus.CANCELLED.value
            row.stage = ""
            row.cancel_requested_at = row.finished_at = self._now
            row.event_seq += 1
            self._write_event(job_id, row.event_seq, JobStatus.CANCELLED.value, {})
        return record_of(Job, row)

    def demand_ended(self, job_id: str) -> None:
        """Asserts that a job has ended without a grade.

        Raises:
            ConflictError: It has not.
        """
        self._ended(job_id)

    def reopen(self, job_id: str) -> Job:
        """Queues a failed or cancelled job again.

        Raises:
            ConflictError: It is neither.
        """
        row = self._ended(job_id)
        row.status, row.cause, row.finished_at = JobStatus.QUEUED.value, "", None
        row.cancel_requested_at = None
        row.event_seq += 1
        self._write_event(job_id, row.event_seq, JobStatus.QUEUED.value, {"queue": row.queue})
        return record_of(Job, row)

    def release(self, job: Job) -> Job | None:
        """Makes an open job a queued one that nobody has; its claim no longer holds.

        Args:
            job: As it was seen.

        Returns:
            The job now; None where it is final, or was taken up since it was seen.
        """
        row = self._row(self._all().where(JobRow.id == job.id).with_for_update(), "job", job.id)
        if row.status not in _OPEN or row.epoch != job.epoch:
            return None
        if row.status == JobStatus.RUNNING.value:
            row.status, row.stage, row.executor_id = JobStatus.QUEUED.value, "", None
            row.event_seq += 1
            self._write_event(job.id, row.event_seq, JobStatus.QUEUED.value, {"queue": row.queue})
        return record_of(Job, row)

    def events(self, job_id: str, *, after: int = 0, limit: int = 200) -> tuple[JobEvent, ...]:
        """Events of a job after a sequence number, in order."""
        statement = (
            select(JobEventRow)
            .where(
                JobEventRow.tenant_id == self._tenant_id,
                JobEventRow.job_id == job_id,
                JobEventRow.seq > after,
            )
            .order_by(JobEventRow.seq)
            .limit(limit)
        )
        return tuple(record_of(JobEvent, row) for row in self._session.scalars(statement))

    def _ended(self, job_id: str) -> JobRow:
        row = self._row(self._all().where(JobRow.id == job_id).with_for_update(), "job", job_id)
        if row.status not in (JobStatus.FAILED, JobStatus.CANCELLED):
            raise ConflictError(f"the job {job_id!r} is {row.status}", remedy="regrade instead")
        return row

    def _finish(
        self, claim: Claim, status: JobStatus, data: Mapping[str, Any], **values: Any
    ) -> tuple[str, bool]:
        ended = {"status": status.value, "stage": "", "finished_at": self._now, **values}
        return self._change(claim, status.value, data, **ended)

    def _change(
        self, claim: Claim, kind: str, data: Mapping[str, Any], **values: Any
    ) -> tuple[str, bool]:
        """Changes a job and writes the event of it, where the claim holds.

        Returns:
            The job's submission, and whether it is a dry run.
        """
        if not self._lives(claim.executor_id):
            raise FencedError(claim)
        statement = (
            update(JobRow)
            .where(
                JobRow.tenant_id == self._tenant_id,
                JobRow.id == claim.job_id,
                JobRow.epoch == claim.epoch,
                JobRow.executor_id == claim.executor_id,
                JobRow.status == JobStatus.RUNNING.value,
            )
            .values(event_seq=JobRow.event_seq + 1, **values)
            .returning(JobRow.event_seq, JobRow.submission_id, JobRow.dry_run)
            .execution_options(synchronize_session=False)
        )
        changed = self._session.execute(statement).one_or_none()
        if changed is None:
            raise FencedError(claim)
        self._session.expire_all()
        seq, submission_id, dry_run = changed
        self._write_event(claim.job_id, seq, kind, data)
        return submission_id, dry_run

    def _lives(self, executor_id: str) -> bool:
        """Whether nobody has declared the executor dead; holds until the transaction ends."""
        statement = (
            select(ExecutorRow.id)
            .where(ExecutorRow.id == executor_id, ExecutorRow.dead.is_(None))
            .with_for_update(read=True)
        )
        return self._session.scalar(statement) is not None

    def _write_event(self, job_id: str, seq: int, kind: str, data: Mapping[str, Any]) -> None:
        self._add(
            JobEventRow(
                tenant_id=self._tenant_id,
                job_id=job_id,
                seq=seq,
                kind=kind,
                data=dict(data),
                at=self._now,
            )
        )

    def _all(self) -> Select[JobRow]:
        return select(JobRow).where(JobRow.tenant_id == self._tenant_id)
