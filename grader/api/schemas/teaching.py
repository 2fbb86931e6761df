"""People, cohorts and assignments in requests and replies."""

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from grader.api.schemas.base import Identifier, Input, Line, Output, examples
from grader.store.records.teaching import AssignmentKind, Feedback
from grader.store.records.tenancy import Role

Email = Annotated[str, StringConstraints(pattern=r"^[^@\s\x00]{1,64}@[^@\s\x00]{1,255}$")]
_WHEN = "2026-11-30T18:00:00Z"
_USER = {
    "id": "usr_06f3q8z1",
    "name": "Ada",
    "email": "ada@example.org",
    "external_id": "student-17",
    "roles": ["learner"],
    "created_at": _WHEN,
    "disabled_at": None,
}
_COHORT = {
    "id": "coh_06f3q8z1",
    "name": "Autumn 2026",
    "created_at": _WHEN,
    "archived_at": None,
    "invitation_expires_at": None,
}
_ASSIGNMENT = {
    "id": "asg_06f3q8z1",
    "cohort_id": "coh_06f3q8z1",
    "title": "Week 3",
    "kind": "questions",
    "question_ids": ["attention-sinks"],
    "opens_at": None,
    "due_at": "2026-12-07T18:00:00Z",
    "accept_late": False,
    "attempts_allowed": 1,
    "feedback": "full",
    "release_at": None,
    "created_at": _WHEN,
}


class UserIn(Input):
    """A person to be added."""

    model_config = examples({"name": "Ada", "roles": ["learner"], "external_id": "student-17"})

    name: Line
    roles: frozenset[Role] = Field(min_length=1)
    email: Email | None = None
    external_id: Line | None = None


class RolesIn(Input):
    """The roles that a person has from now on."""

    model_config = examples({"roles": ["learner", "grader"]})

    roles: frozenset[Role] = Field(min_length=1)


class UserOut(Output):
    """A person of the tenant."""

    model_config = examples(_USER)

    id: str
    name: str
    email: str | None = None
    external_id: str | None = None
    roles: tuple[Role, ...]
    created_at: datetime
    disabled_at: datetime | None = None


class CohortIn(Input):
    """A cohort to be added."""

    model_config = examples({"name": "Autumn 2026"})

    name: Line


class CohortOut(Output):
    """A group of learners."""

    model_config = examples(_COHORT)

    id: str
    name: str
    created_at: datetime
    archived_at: datetime | None = None
    invitation_expires_at: datetime | None = None


class InvitationIn(Input):
    """How long an invitation is open."""

    model_config = examples({"days": 14})

    days: int = Field(default=14, ge=1, le=365)


class InvitationOut(Output):
    """An invitation; its code is shown this once."""

    model_config = examples({"code": "inv_3kq9...", "expires_at": "2026-12-14T18:00:00Z"})

    code: str
    expires_at: datetime


class JoinIn(Input):
    """The code of an invitation."""

    model_config = examples({"code": "inv_3kq9"})

    code: Annotated[str, StringConstraints(pattern=r"^inv_[A-Za-z0-9_-]{1,100}$")]


class MemberOut(Output):
    """A person in a cohort."""

    model_config = examples(
        {"user_id": "usr_06f3q8z1", "external_id": "student-17", "joined_at": _WHEN}
    )

    user_id: str
    external_id: str | None = None
    joined_at: datetime


class RosterIn(Input):
    """A roster as CSV with the columns ``external_id``, ``name`` and, if wanted, ``email``."""

    model_config = examples({"csv": "external_id,name,email\nstudent-17,Ada,ada@example.org\n"})

    csv: Annotated[str, StringConstraints(min_length=1, max_length=500_000)]


class RosterOut(Output):
    """What a roster changed."""

    model_config = examples({"added": 24, "known": 3})

    added: int
    known: int


class AssignmentIn(Input):
    """Questions to be set to a cohort."""

    model_config = examples(
        {
            "cohort_id": "coh_06f3q8z1",
            "title": "Week 3",
            "question_ids": ["attention-sinks"],
            "due_at": "2026-12-07T18:00:00Z",
            "attempts_allowed": 1,
        }
    )

    cohort_id: Identifier
    title: Line
    question_ids: tuple[Identifier, ...] = Field(min_length=1, max_length=100)
    kind: AssignmentKind = AssignmentKind.QUESTIONS
    opens_at: AwareDatetime | None = None
    due_at: AwareDatetime | None = None
    accept_late: bool = False
    attempts_allowed: int | None = Field(default=None, ge=1, le=100)
    feedback: Feedback = Feedback.FULL
    release_at: AwareDatetime | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "AssignmentIn":
        if self.opens_at and self.due_at and self.due_at <= self.opens_at:
            raise ValueError("due_at must be after opens_at")
        return self


class AssignmentOut(Output):
    """Questions set to a cohort."""

    model_config = examples(_ASSIGNMENT)

    id: str
    cohort_id: str
    title: str
    kind: AssignmentKind
    question_ids: tuple[str, ...]
    opens_at: datetime | None = None
    due_at: datetime | None = None
    accept_late: bool
    attempts_allowed: int | None = None
    feedback: Feedback
    release_at: datetime | None = None
    created_at: datetime
