"""Queries on cohorts, assignments and rubric versions."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Select, delete, select

from grader.bank.version import file_version, rubric_version
from grader.domain.question import Question
from grader.store.errors import ConflictError
from grader.store.ids import new_id
from grader.store.records.teaching import (
    Assignment,
    AssignmentKind,
    Cohort,
    Feedback,
    Member,
    RubricVersion,
)
from grader.store.repositories.base import Page, Repository, record_of
from grader.store.tables.teaching import (
    AssignmentRow,
    CohortRow,
    MemberRow,
    RubricHeadRow,
    RubricVersionRow,
)
from grader.store.tables.tenancy import UserRow


class Cohorts(Repository):
    """Cohorts and who is in them."""

    def add(self, name: str) -> Cohort:
        """Adds a cohort without members."""
        row = CohortRow(
            id=new_id("coh"), tenant_id=self._tenant_id, name=name, created_at=self._now
        )
        return record_of(Cohort, self._add(row))

    def get(self, cohort_id: str) -> Cohort:
        """The cohort of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        return record_of(Cohort, self._get(cohort_id))

    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[Cohort]:
        """Cohorts, latest first."""
        return self._page(
            self._all(),
            CohortRow.created_at,
            CohortRow.id,
            lambda row: record_of(Cohort, row),
            cursor=cursor,
            limit=limit,
        )

    def invite(self, cohort_id: str, invitation_hash: str | None, expires_at: datetime) -> None:
        """Replaces the invitation link; None withdraws it."""
        row = self._get(cohort_id)
        row.invitation_hash = invitation_hash
        row.invitation_expires_at = expires_at if invitation_hash else None

    def by_invitation(self, invitation_hash: str) -> Cohort | None:
        """The cohort whose invitation is still open, if any."""
        statement = self._all().where(
            CohortRow.invitation_hash == invitation_hash,
            CohortRow.invitation_expires_at > self._now,
            CohortRow.archived_at.is_(None),
        )
        row = self._session.scalars(statement).one_or_none()
        return record_of(Cohort, row) if row else None

    def archive(self, cohort_id: str) -> None:
        """Closes a cohort; what was done in it stays."""
        self._get(cohort_id).archived_at = self._now

    def put_member(self, cohort_id: str, user_id: str, external_id: str | None = None) -> Member:
        """Puts a person into a cohort, or changes their external id there.

        Raises:
            ConflictError: Somebody else of the cohort has that external id.
            NotFoundError: No such cohort or person in this tenant.
        """
        self._get(cohort_id)
        self._demand_own(UserRow, "user", user_id)
        self._refuse_taken(cohort_id, user_id, external_id)
        row = self._session.scalars(
            self._members(cohort_id).where(MemberRow.user_id == user_id)
        ).one_or_none()
        if row is None:
            row = MemberRow(
                tenant_id=self._tenant_id,
                cohort_id=cohort_id,
                user_id=user_id,
                joined_at=self._now,
            )
        row.external_id = external_id or row.external_id
        return record_of(Member, self._add(row))

    def remove_member(self, cohort_id: str, user_id: str) -> None:
        """Takes a person out; what they handed in stays."""
        self._session.execute(
            delete(MemberRow).where(
                MemberRow.tenant_id == self._tenant_id,
                MemberRow.cohort_id == cohort_id,
                MemberRow.user_id == user_id,
            )
        )

    def members(
        self, cohort_id: str, *, cursor: str | None = None, limit: int = 200
    ) -> Page[Member]:
        """Members, latest first."""
        self._get(cohort_id)
        return self._page(
            self._members(cohort_id),
            MemberRow.joined_at,
            MemberRow.user_id,
            lambda row: record_of(Member, row),
            cursor=cursor,
            limit=limit,
        )

    def is_member(self, cohort_id: str, user_id: str) -> bool:
        """Whether the person is in the cohort."""
        statement = self._members(cohort_id).where(MemberRow.user_id == user_id)
        return self._session.scalars(statement).one_or_none() is not None

    def _get(self, cohort_id: str) -> CohortRow:
        return self._row(self._all().where(CohortRow.id == cohort_id), "cohort", cohort_id)

    def _all(self) -> Select[CohortRow]:
        return select(CohortRow).where(CohortRow.tenant_id == self._tenant_id)

    def _members(self, cohort_id: str) -> Select[MemberRow]:
        return select(MemberRow).where(
            MemberRow.tenant_id == self._tenant_id, MemberRow.cohort_id == cohort_id
        )

    def _refuse_taken(self, cohort_id: str, user_id: str, external_id: str | None) -> None:
        statement = self._members(cohort_id).where(
            MemberRow.external_id == external_id, MemberRow.user_id != user_id
        )
        if external_id is not None and self._session.scalars(statement).first() is not None:
            raise ConflictError(
                f"external_id {external_id!r} is taken in this cohort",
                remedy="mend the roster: an external id belongs to one person",
            )


class Assignments(Repository):
    """What is set to cohorts."""

    def add(
        self,
        cohort_id: str,
        title: str,
        question_ids: Iterable[str],
        *,
        kind: AssignmentKind = AssignmentKind.QUESTIONS,
        opens_at: datetime | None = None,
        due_at: datetime | None = None,
        late_rule: Mapping[str, Any] | None = None,
        attempts_allowed: int | None = None,
        feedback: Feedback = Feedback.FULL,
        release_at: datetime | None = None,
    ) -> Assignment:
        """Sets questions to a cohort.

        Raises:
            NotFoundError: No such cohort in this tenant.
        """
        self._demand_own(CohortRow, "cohort", cohort_id)
        row = AssignmentRow(
            id=new_id("asg"),
            tenant_id=self._tenant_id,
            cohort_id=cohort_id,
            title=title,
            kind=kind.value,
            question_ids=list(question_ids),
            opens_at=opens_at,
            due_at=due_at,
            late_rule=dict(late_rule or {}),
            attempts_allowed=attempts_allowed,
            feedback=feedback.value,
            release_at=release_at,
            created_at=self._now,
        )
        return record_of(Assignment, self._add(row))

    def get(self, assignment_id: str) -> Assignment:
        """The assignment of that id.

        Raises:
            NotFoundError: None in this tenant.
        """
        statement = self._all().where(AssignmentRow.id == assignment_id)
        return record_of(Assignment, self._row(statement, "assignment", assignment_id))

    def update(self, assignment_id: str, **changes: Any) -> Assignment:
        """Changes fields by their names."""
        statement = self._all().where(AssignmentRow.id == assignment_id)
        row = self._row(statement, "assignment", assignment_id)
        for name, value in changes.items():
            setattr(row, name, list(value) if isinstance(value, tuple) else value)
        self._session.flush()
        return record_of(Assignment, row)

    def list(
        self, *, cohort_id: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Assignment]:
        """Assignments, latest first."""
        statement = self._all()
        if cohort_id is not None:
            statement = statement.where(AssignmentRow.cohort_id == cohort_id)
        return self._page(
            statement,
            AssignmentRow.created_at,
            AssignmentRow.id,
            lambda row: record_of(Assignment, row),
            cursor=cursor,
            limit=limit,
        )

    def _all(self) -> Select[AssignmentRow]:
        return select(AssignmentRow).where(AssignmentRow.tenant_id == self._tenant_id)


class Rubrics(Repository):
    """Questions as they were graded by, and the tenant's own questions as they are now."""

    def keep(self, question: Question, *, author_id: str | None = None) -> RubricVersion:
        """Keeps the content of a question; the same content is kept once."""
        version = file_version(question)
        row = self._session.scalars(self._of_version(version)).one_or_none()
        if row is None:
            row = self._add(
                RubricVersionRow(
                    tenant_id=self._tenant_id,
                    file_version=version,
                    version=rubric_version(question),
                    question_id=question.id,
                    content=question.model_dump(mode="json", by_alias=True),
                    author_id=author_id,
                    created_at=self._now,
                )
            )
        return record_of(RubricVersion, row)

    def get(self, file_version: str) -> RubricVersion:
        """The content of that version.

        Raises:
            NotFoundError: None in this tenant.
        """
        statement = self._of_version(file_version)
        return record_of(RubricVersion, self._row(statement, "rubric version", file_version))

    def question(self, file_version: str) -> Question:
        """The question of that version."""
        return Question.model_validate(self.get(file_version).content)

    def head(self, question_id: str) -> RubricVersion | None:
        """The tenant's own question of that id as it is now, if it has one."""
        row = self._head(question_id)
        return self.get(row.file_version) if row else None

    def write(
        self, question: Question, *, expected: str | None, author_id: str | None = None
    ) -> RubricVersion:
        """Makes a question the tenant's current one.

        Args:
            question: The new content.
            expected: File version that the writer has seen; None for a new question.
            author_id: Who wrote it.

        Raises:
            ConflictError: Somebody else wrote in between, or the question exists already.
        """
        row = self._head(question.id)
        if (row.file_version if row else None) != expected:
            raise ConflictError(
                f"the question {question.id!r} is not at version {expected}",
                remedy="read it again, and write with the version you have read",
            )
        version = self.keep(question, author_id=author_id)
        if row is None:
            row = RubricHeadRow(tenant_id=self._tenant_id, question_id=question.id)
        row.file_version = version.file_version
        row.changed_at = self._now
        self._add(row)
        return version

    def versions(
        self, question_id: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[RubricVersion]:
        """All versions of a question, latest first."""
        return self._page(
            self._all().where(RubricVersionRow.question_id == question_id),
            RubricVersionRow.created_at,
            RubricVersionRow.file_version,
            lambda row: record_of(RubricVersion, row),
            cursor=cursor,
            limit=limit,
        )

    def heads(self) -> list[RubricVersion]:
        """The tenant's own questions as they are now."""
        statement = self._all().join(
            RubricHeadRow,
            (RubricHeadRow.tenant_id == RubricVersionRow.tenant_id)
            & (RubricHeadRow.file_version == RubricVersionRow.file_version),
        )
        return [record_of(RubricVersion, row) for row in self._session.scalars(statement)]

    def _all(self) -> Select[RubricVersionRow]:
        return select(RubricVersionRow).where(RubricVersionRow.tenant_id == self._tenant_id)

    def _of_version(self, version: str) -> Select[RubricVersionRow]:
        return self._all().where(RubricVersionRow.file_version == version)

    def _head(self, question_id: str) -> RubricHeadRow | None:
        statement = select(RubricHeadRow).where(
            RubricHeadRow.tenant_id == self._tenant_id, RubricHeadRow.question_id == question_id
        )
        return self._session.scalars(statement.with_for_update()).one_or_none()
