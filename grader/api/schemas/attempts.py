"""Attempts, drafts and hints in requests and replies."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from grader.api.schemas.base import AnswerText, Identifier, Input, Output, examples
from grader.api.schemas.questions import QuestionOut
from grader.api.schemas.submissions import MOST_CODE
from grader.store.records.work import AttemptState

_ATTEMPT: dict[str, object] = {
    "id": "att_06f3q8z1",
    "question_id": "attention-sinks",
    "assignment_id": None,
    "user_id": "usr_06f3q8z1",
    "number": 1,
    "state": "open",
    "mode": "practice",
    "hints_used": [],
    "hints_cost": 0,
    "draft": None,
    "question": None,
    "started_at": "2026-11-30T18:00:00Z",
    "submitted_at": None,
}


class AttemptMode(StrEnum):
    """Practice, or under the conditions of an interview."""

    PRACTICE = "practice"
    INTERVIEW = "interview"


class AttemptIn(Input):
    """An attempt to be opened."""

    model_config = examples({"question_id": "attention-sinks"})

    question_id: Identifier
    assignment_id: Identifier | None = None
    mode: AttemptMode = AttemptMode.PRACTICE


class DraftIn(Input):
    """The whole text so far; ``revision`` is the one that was read."""

    model_config = examples({"text": "Softmax weights", "revision": 3})

    text: AnswerText
    revision: int | None = Field(default=None, ge=0, le=2**31 - 1)


class DraftOut(Output):
    """The latest draft."""

    model_config = examples(
        {"text": "Softmax weights", "revision": 4, "saved_at": "2026-11-30T18:00:00Z"}
    )

    text: str
    revision: int
    saved_at: datetime | None = None


class HintIn(Input):
    """A hint to be shown; its price counts once."""

    model_config = examples({"number": 1})

    number: int = Field(ge=1, le=50)


class HintOut(Output):
    """A hint that was bought."""

    model_config = examples({"number": 1, "cost": 10, "text": "Think of what softmax demands."})

    number: int
    cost: int
    text: str


class AttemptAnswerIn(Input):
    """An answer or code handed in within an attempt."""

    model_config = examples({"text": "Softmax weights sum to 1, so the mass has to go somewhere."})

    text: AnswerText | None = None
    code: Annotated[str, StringConstraints(min_length=1, max_length=MOST_CODE)] | None = None
    final: bool = Field(default=False, description="Whether the attempt ends with it.")

    @model_validator(mode="after")
    def _one(self) -> "AttemptAnswerIn":
        if (self.text is None) == (self.code is None):
            raise ValueError("give either text or code")
        return self


class AttemptOut(Output):
    """One go of a learner at one question."""

    model_config = examples(_ATTEMPT)

    id: str
    question_id: str
    assignment_id: str | None = None
    user_id: str | None = None
    number: int
    state: AttemptState
    mode: str
    hints_used: tuple[int, ...] = ()
    hints_cost: int = Field(default=0, description="Points taken off the attempt's result.")
    draft: DraftOut | None = None
    question: QuestionOut | None = Field(default=None, description="With its figures drawn.")
    started_at: datetime
    submitted_at: datetime | None = None
