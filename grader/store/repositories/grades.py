"""Queries on grades and their verdicts."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, select, update

from grader.domain.grade import Grade
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.store.records.grading import (
    JobStatus,
    StoredGrade,
)
from grader.store.repositories.base import Repository, record_of
from grader.store.tables.grading import (
    GradeRow,
    VerdictRow,
)

_OPEN = (JobStatus.QUEUED.value, JobStatus.RUNNING.value)


class Grades(Repository):
    """Grades with their verdicts."""

    def _keep(
        self,
        job_id: str,
        submission_id: str,
        grade: Grade,
        code_result: Mapping[str, Any] | None,
        *,
        counts: bool,
    ) -> StoredGrade:
        """Keeps the grade of a job; `Jobs.record` calls it with the claim checked."""
        if counts:
            self._session.execute(
                update(GradeRow)
                .where(
                    GradeRow.tenant_id == self._tenant_id,
                    GradeRow.submission_id == submission_id,
                    GradeRow.current.is_(True),
                )
                .values(current=False)
                .execution_options(synchronize_session=False)
            )
        row = GradeRow(
            job_id=job_id,
            tenant_id=self._tenant_id,
            submission_id=submission_id,
            **grade.model_dump(mode="json", exclude={"verdicts"}),
            code_result=dict(code_result) if code_result is not None else None,
            current=counts,
            created_at=self._now,
        )
        self._add(row)
        self._session.add_all(
            VerdictRow(
                tenant_id=self._tenant_id,
                job_id=job_id,
                position=position,
                **verdict.model_dump(mode="json"),
            )
            for position, verdict in enumerate(grade.verdicts)
        )
        return self._stored(row, grade.verdicts)

    def get(self, job_id: str) -> StoredGrade:
        """The grade that a job gave.

        Raises:
            NotFoundError: The job gave none, or is not of this tenant.
        """
        row = self._row(self._all().where(GradeRow.job_id == job_id), "grade", job_id)
        return self._loaded(row)

    def current(self, submission_id: str) -> StoredGrade | None:
        """The grade of a submission that counts, if there is one."""
        statement = self._all().where(
            GradeRow.submission_id == submission_id, GradeRow.current.is_(True)
        )
        row = self._session.scalars(statement).one_or_none()
        return self._loaded(row) if row else None

    def history(self, submission_id: str) -> tuple[StoredGrade, ...]:
        """All grades of a submission, latest first."""
        statement = self._all().where(GradeRow.submission_id == submission_id)
        rows = self._session.scalars(statement.order_by(GradeRow.created_at.desc()))
        return tuple(self._loaded(row) for row in rows.all())

    def _loaded(self, row: GradeRow) -> StoredGrade:
        statement = (
            select(VerdictRow)
            .where(VerdictRow.tenant_id == self._tenant_id, VerdictRow.job_id == row.job_id)
            .order_by(VerdictRow.position)
        )
        return self._stored(row, tuple(_verdict(v) for v in self._session.scalars(statement)))

    def _stored(self, row: GradeRow, verdicts: tuple[Verdict, ...]) -> StoredGrade:
        grade = Grade(
            question_id=row.question_id,
            rubric_version=row.rubric_version,
            score=row.score,
            low=row.low,
            high=row.high,
            provisional=row.provisional,
            verdicts=verdicts,
            flags=tuple(row.flags),
            draw_seed=row.draw_seed,
        )
        return record_of(StoredGrade, row, grade=grade)

    def _all(self) -> Select[GradeRow]:
        return select(GradeRow).where(GradeRow.tenant_id == self._tenant_id)


def _verdict(row: VerdictRow) -> Verdict:
    return Verdict(
        signal_id=row.signal_id,
        outcome=Outcome(row.outcome),
        confidence=row.confidence,
        evidence=tuple(Evidence(**item) for item in row.evidence),
        reasons=tuple(row.reasons),
        judge=row.judge,
        comment=row.comment,
    )
