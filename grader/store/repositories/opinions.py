"""Queries on what people say about verdicts: overrides and objections."""

from sqlalchemy import Select, select

from grader.domain.verdict import Outcome
from grader.store.errors import ConflictError
from grader.store.ids import new_id
from grader.store.records.grading import (
    Contest,
    JobStatus,
    Override,
)
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.tables.grading import (
    ContestRow,
    OverrideRow,
)
from grader.store.tables.work import SubmissionRow

_OPEN = (JobStatus.QUEUED.value, JobStatus.RUNNING.value)


class Overrides(Repository):
    """Verdicts by people."""

    def add(
        self, submission_id: str, signal_id: str, outcome: Outcome, reason: str, author_id: str
    ) -> Override:
        """Adds a person's verdict; the earlier one on that signal is withdrawn, not erased.

        Raises:
            NotFoundError: No such submission of this tenant.
        """
        self._demand_own(SubmissionRow, "submission", submission_id)
        for row in self._standing(submission_id, signal_id):
            row.withdrawn_at = self._now
        row = OverrideRow(
            id=new_id("ovr"),
            tenant_id=self._tenant_id,
            submission_id=submission_id,
            signal_id=signal_id,
            outcome=outcome.value,
            reason=reason,
            author_id=author_id,
            created_at=self._now,
        )
        return record_of(Override, self._add(row))

    def withdraw(self, override_id: str) -> Override:
        """Takes a person's verdict back."""
        statement = select(OverrideRow).where(
            OverrideRow.tenant_id == self._tenant_id, OverrideRow.id == override_id
        )
        row = self._row(statement, "override", override_id)
        row.withdrawn_at = row.withdrawn_at or self._now
        return record_of(Override, row)

    def standing(self, submission_id: str) -> tuple[Override, ...]:
        """The verdicts by people that count."""
        return tuple(record_of(Override, row) for row in self._standing(submission_id))

    def history(self, submission_id: str) -> tuple[Override, ...]:
        """All of them, in order, the withdrawn ones too."""
        statement = self._of(submission_id).order_by(OverrideRow.created_at, OverrideRow.id)
        return tuple(record_of(Override, row) for row in self._session.scalars(statement))

    def _of(self, submission_id: str) -> Select[OverrideRow]:
        return select(OverrideRow).where(
            OverrideRow.tenant_id == self._tenant_id, OverrideRow.submission_id == submission_id
        )

    def _standing(self, submission_id: str, signal_id: str | None = None) -> list[OverrideRow]:
        statement = self._of(submission_id).where(OverrideRow.withdrawn_at.is_(None))
        if signal_id is not None:
            statement = statement.where(OverrideRow.signal_id == signal_id)
        return list(self._session.scalars(statement.order_by(OverrideRow.created_at)))


class Contests(Repository):
    """Objections of learners."""

    def add(self, submission_id: str, signal_id: str, text: str) -> Contest:
        """Adds an objection.

        Raises:
            ConflictError: That verdict was objected to already.
            NotFoundError: No such submission of this tenant.
        """
        self._demand_own(SubmissionRow, "submission", submission_id)
        statement = self._all().where(
            ContestRow.submission_id == submission_id, ContestRow.signal_id == signal_id
        )
        if self._session.scalars(statement).first() is not None:
            raise ConflictError(
                f"the verdict on {signal_id!r} is contested already", remedy="await the reply"
            )
        row = ContestRow(
            id=new_id("con"),
            tenant_id=self._tenant_id,
            submission_id=submission_id,
            signal_id=signal_id,
            text=text,
            state="open",
            reply="",
            created_at=self._now,
        )
        return record_of(Contest, self._add(row))

    def get(self, contest_id: str) -> Contest:
        """The objection of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Contest, self._get(contest_id))

    def resolve(self, contest_id: str, *, upheld: bool, reply: str) -> Contest:
        """Answers an objection."""
        row = self._get(contest_id)
        row.state, row.reply = ("upheld" if upheld else "rejected"), reply
        row.resolved_at = self._now
        return record_of(Contest, row)

    def list(
        self,
        *,
        state: str | None = None,
        submission_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Contest]:
        """Objections, latest first."""
        statement = self._all()
        if state is not None:
            statement = statement.where(ContestRow.state == state)
        if submission_id is not None:
            statement = statement.where(ContestRow.submission_id == submission_id)
        return self._page(
            statement,
            ContestRow.created_at,
            ContestRow.id,
            lambda row: record_of(Contest, row),
            cursor=cursor,
            limit=limit,
        )

    def _get(self, contest_id: str) -> ContestRow:
        return self._row(self._all().where(ContestRow.id == contest_id), "contest", contest_id)

    def _all(self) -> Select[ContestRow]:
        return select(ContestRow).where(ContestRow.tenant_id == self._tenant_id)
