"""Queries on attempts, drafts, takes and submissions."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Select, func, select

from grader.store.errors import ConflictError
from grader.store.ids import new_id
from grader.store.records.work import (
    Attempt,
    AttemptState,
    Draft,
    NewSubmission,
    Submission,
    Take,
)
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.tables.teaching import AssignmentRow
from grader.store.tables.tenancy import UserRow
from grader.store.tables.work import AttemptRow, DraftRow, SubmissionRow, TakeRow


class Attempts(Repository):
    """Attempts with their drafts and takes."""

    def open(
        self,
        question_id: str,
        *,
        user_id: str | None = None,
        assignment_id: str | None = None,
        mode: str = "practice",
        draw_seed: int | None = None,
    ) -> Attempt:
        """Opens the next attempt of a learner at a question.

        Raises:
            NotFoundError: No such person or assignment of this tenant.
        """
        self._demand_own(UserRow, "user", user_id)
        self._demand_own(AssignmentRow, "assignment", assignment_id)
        earlier = self.count(question_id, user_id=user_id, assignment_id=assignment_id)
        row = AttemptRow(
            id=new_id("att"),
            tenant_id=self._tenant_id,
            user_id=user_id,
            assignment_id=assignment_id,
            question_id=question_id,
            number=earlier + 1,
            state=AttemptState.OPEN.value,
            mode=mode,
            draw_seed=draw_seed,
            hints_used=[],
            started_at=self._now,
        )
        return record_of(Attempt, self._add(row))

    def get(self, attempt_id: str) -> Attempt:
        """The attempt of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Attempt, self._get(attempt_id))

    def count(self, question_id: str, *, user_id: str | None, assignment_id: str | None) -> int:
        """How many attempts a learner has opened at a question of an assignment."""
        statement = (
            select(func.count())
            .select_from(AttemptRow)
            .where(
                AttemptRow.tenant_id == self._tenant_id,
                AttemptRow.question_id == question_id,
                AttemptRow.user_id == user_id,
                AttemptRow.assignment_id == assignment_id,
            )
        )
        return self._session.scalar(statement) or 0

    def list(
        self,
        *,
        user_id: str | None = None,
        assignment_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Attempt]:
        """Attempts, latest first."""
        statement = self._all()
        if user_id is not None:
            statement = statement.where(AttemptRow.user_id == user_id)
        if assignment_id is not None:
            statement = statement.where(AttemptRow.assignment_id == assignment_id)
        return self._page(
            statement,
            AttemptRow.started_at,
            AttemptRow.id,
            lambda row: record_of(Attempt, row),
            cursor=cursor,
            limit=limit,
        )

    def use_hint(self, attempt_id: str, hint: str) -> Attempt:
        """Notes that a hint was shown; showing it again costs nothing."""
        row = self._open(attempt_id)
        row.hints_used = [*row.hints_used, *([] if hint in row.hints_used else [hint])]
        return record_of(Attempt, row)

    def close(self, attempt_id: str, state: AttemptState = AttemptState.SUBMITTED) -> Attempt:
        """Ends an attempt.

        Raises:
            ConflictError: It has ended already.
        """
        row = self._open(attempt_id)
        row.state = state.value
        row.submitted_at = self._now
        return record_of(Attempt, row)

    def save_draft(self, attempt_id: str, text: str, *, revision: int | None = None) -> Draft:
        """Saves the text of an open attempt.

        Args:
            attempt_id: Of the attempt.
            text: The whole draft.
            revision: That the writer has seen; None saves whatever is there.

        Raises:
            ConflictError: The attempt has ended, or another window saved in between.
        """
        self._open(attempt_id)
        row = self._draft(attempt_id)
        if revision is not None and (row.revision if row else 0) != revision:
            raise ConflictError(
                f"the draft of {attempt_id!r} is not at revision {revision}",
                remedy="read it again; it was saved from another window",
            )
        if row is None:
            row = DraftRow(tenant_id=self._tenant_id, attempt_id=attempt_id, revision=0)
        row.text = text
        row.revision += 1
        row.saved_at = self._now
        return record_of(Draft, self._add(row))

    def draft(self, attempt_id: str) -> Draft | None:
        """The latest draft, if any."""
        row = self._draft(attempt_id)
        return record_of(Draft, row) if row else None

    def add_take(
        self,
        attempt_id: str,
        *,
        audio_blob: str | None,
        seconds: float,
        transcript: Mapping[str, Any] | None = None,
    ) -> Take:
        """Adds a recording to an open attempt."""
        self._open(attempt_id)
        row = TakeRow(
            id=new_id("tak"),
            tenant_id=self._tenant_id,
            attempt_id=attempt_id,
            number=len(self.takes(attempt_id)) + 1,
            audio_blob=audio_blob,
            seconds=seconds,
            transcript=dict(transcript) if transcript is not None else None,
            created_at=self._now,
        )
        return record_of(Take, self._add(row))

    def edit_take(self, take_id: str, **changes: Any) -> Take:
        """Sets the transcript or the edited text of a take."""
        statement = select(TakeRow).where(
            TakeRow.tenant_id == self._tenant_id, TakeRow.id == take_id
        )
        row = self._row(statement, "take", take_id)
        for name, value in changes.items():
            setattr(row, name, value)
        return record_of(Take, row)

    def takes(self, attempt_id: str) -> tuple[Take, ...]:
        """The takes of an attempt, in order."""
        statement = (
            select(TakeRow)
            .where(TakeRow.tenant_id == self._tenant_id, TakeRow.attempt_id == attempt_id)
            .order_by(TakeRow.number)
        )
        return tuple(record_of(Take, row) for row in self._session.scalars(statement))

    def _all(self) -> Select[AttemptRow]:
        return select(AttemptRow).where(AttemptRow.tenant_id == self._tenant_id)

    def _get(self, attempt_id: str) -> AttemptRow:
        return self._row(self._all().where(AttemptRow.id == attempt_id), "attempt", attempt_id)

    def _open(self, attempt_id: str) -> AttemptRow:
        """The row of an open attempt, locked until the unit ends."""
        statement = self._all().where(AttemptRow.id == attempt_id).with_for_update()
        row = self._row(statement, "attempt", attempt_id)
        if row.state != AttemptState.OPEN:
            raise ConflictError(
                f"the attempt {attempt_id!r} is {row.state}", remedy="open another attempt"
            )
        return row

    def _draft(self, attempt_id: str) -> DraftRow | None:
        statement = select(DraftRow).where(
            DraftRow.tenant_id == self._tenant_id, DraftRow.attempt_id == attempt_id
        )
        return self._session.scalars(statement).one_or_none()


class Submissions(Repository):
    """What was handed in."""

    def add(self, new: NewSubmission) -> Submission:
        """Keeps a submission; its rubric version must be kept already.

        Raises:
            NotFoundError: It refers to something that is not this tenant's.
        """
        self._demand_own(UserRow, "user", new.user_id)
        self._demand_own(AttemptRow, "attempt", new.attempt_id)
        self._demand_own(AssignmentRow, "assignment", new.assignment_id)
        self._demand_own(SubmissionRow, "submission", new.parent_id)
        fields = asdict(new)
        fields["signals"] = list(new.signals) if new.signals is not None else None
        fields["kind"] = new.kind.value
        row = SubmissionRow(
            id=new_id("sub"), tenant_id=self._tenant_id, created_at=self._now, **fields
        )
        return record_of(Submission, self._add(row))

    def get(self, submission_id: str) -> Submission:
        """The submission of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Submission, self._get(submission_id))

    def set_heard(self, submission_id: str, text: str, transcript: Mapping[str, Any]) -> None:
        """Keeps what the recogniser heard, once; a second recognition changes nothing."""
        row = self._get(submission_id)
        if row.text is None and row.erased_at is None:
            row.text, row.transcript = text, dict(transcript)

    def list(
        self,
        *,
        user_id: str | None = None,
        assignment_id: str | None = None,
        attempt_id: str | None = None,
        batch_id: str | None = None,
        external_id: str | None = None,
        question_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Submission]:
        """Submissions, latest first."""
        wanted = {
            SubmissionRow.user_id: user_id,
            SubmissionRow.assignment_id: assignment_id,
            SubmissionRow.attempt_id: attempt_id,
            SubmissionRow.batch_id: batch_id,
            SubmissionRow.external_id: external_id,
            SubmissionRow.question_id: question_id,
        }
        statement = self._all()
        for column, value in wanted.items():
            if value is not None:
                statement = statement.where(column == value)
        return self._page(
            statement,
            SubmissionRow.created_at,
            SubmissionRow.id,
            lambda row: record_of(Submission, row),
            cursor=cursor,
            limit=limit,
        )

    def follow_ups(self, submission_id: str) -> tuple[Submission, ...]:
        """The submissions that follow up on one, in order."""
        statement = self._all().where(SubmissionRow.parent_id == submission_id)
        rows = self._session.scalars(statement.order_by(SubmissionRow.created_at))
        return tuple(record_of(Submission, row) for row in rows)

    def ids_of(self, user_ids: Iterable[str]) -> tuple[str, ...]:
        """Ids of everything that these people handed in."""
        statement = select(SubmissionRow.id).where(
            SubmissionRow.tenant_id == self._tenant_id, SubmissionRow.user_id.in_(list(user_ids))
        )
        return tuple(self._session.scalars(statement))

    def _get(self, submission_id: str) -> SubmissionRow:
        return self._row(
            self._all().where(SubmissionRow.id == submission_id), "submission", submission_id
        )

    def _all(self) -> Select[SubmissionRow]:
        return select(SubmissionRow).where(SubmissionRow.tenant_id == self._tenant_id)
