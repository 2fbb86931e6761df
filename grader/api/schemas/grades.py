"""Grades, overrides and contests in replies and requests."""

from datetime import datetime
from typing import Any

from pydantic import Field

from grader.api.schemas.base import AnswerText, Identifier, Input, Output, Paragraph, examples
from grader.domain.verdict import Outcome

_VERDICT = {
    "signal_id": "weights-sum-to-one",
    "outcome": "met",
    "confidence": 0.93,
    "evidence": [{"start": 0, "end": 25, "quote": "Softmax weights sum to 1,"}],
    "reasons": [],
    "judge": "offline-1",
    "comment": "",
}
GRADE = {
    "job_id": "sub_06f3q8z1",
    "score": 41.7,
    "low": 41.7,
    "high": 58.3,
    "provisional": True,
    "question_id": "attention-sinks",
    "rubric_version": "sha256:5e2b",
    "draw_seed": None,
    "flags": [],
    "verdicts": [_VERDICT],
    "overridden": [],
    "code": None,
    "created_at": "2026-11-30T18:00:00Z",
}


class EvidenceOut(Output):
    """A span of the answer, in code points of its text."""

    start: int
    end: int
    quote: str


class VerdictOut(Output):
    """The finding on one signal.

    Learners see ``s1``, ``s2``, ... for signals until the review is open to them.
    """

    signal_id: str
    outcome: Outcome
    confidence: float
    evidence: tuple[EvidenceOut, ...] = ()
    reasons: tuple[str, ...] = ()
    judge: str = ""
    comment: str = ""


class GradeOut(Output):
    """Points of 100 with their range, and what they rest on."""

    model_config = examples(GRADE)

    job_id: str
    score: float = Field(description="Equal to `low`.")
    low: float
    high: float
    provisional: bool = Field(description="Whether something could not be assessed.")
    question_id: str
    rubric_version: str
    draw_seed: int | None = None
    flags: tuple[str, ...] = ()
    verdicts: tuple[VerdictOut, ...]
    overridden: tuple[str, ...] = Field(default=(), description="Signals a person judged.")
    code: dict[str, Any] | None = Field(default=None, description="Result of a coding exercise.")
    created_at: datetime


class OverrideIn(Input):
    """A person's verdict on a signal."""

    model_config = examples(
        {
            "signal_id": "weights-sum-to-one",
            "outcome": "met",
            "reason": "Said in other words in the second sentence.",
        }
    )

    signal_id: Identifier
    outcome: Outcome
    reason: Paragraph


class OverrideOut(Output):
    """A person's verdict; withdrawn ones stay in the history."""

    model_config = examples(
        {
            "id": "ovr_06f3q8z1",
            "submission_id": "sub_06f3q8z1",
            "signal_id": "weights-sum-to-one",
            "outcome": "met",
            "reason": "Said in other words in the second sentence.",
            "author_id": "usr_06f3q8z1",
            "created_at": "2026-11-30T18:00:00Z",
            "withdrawn_at": None,
        }
    )

    id: str
    submission_id: str
    signal_id: str
    outcome: Outcome
    reason: str
    author_id: str
    created_at: datetime
    withdrawn_at: datetime | None = None


class ContestIn(Input):
    """A learner's objection to a verdict."""

    model_config = examples({"signal_id": "s1", "text": "My first sentence says exactly this."})

    signal_id: Identifier
    text: Paragraph


class ContestReplyIn(Input):
    """The answer to an objection."""

    model_config = examples({"upheld": True, "reply": "You are right; corrected."})

    upheld: bool
    reply: Paragraph


class ContestOut(Output):
    """An objection and what came of it."""

    model_config = examples(
        {
            "id": "con_06f3q8z1",
            "submission_id": "sub_06f3q8z1",
            "signal_id": "s1",
            "text": "My first sentence says exactly this.",
            "state": "open",
            "reply": "",
            "created_at": "2026-11-30T18:00:00Z",
            "resolved_at": None,
        }
    )

    id: str
    submission_id: str
    signal_id: str
    text: str
    state: str
    reply: str
    created_at: datetime
    resolved_at: datetime | None = None


class RegradeIn(Input):
    """A further grading of a submission."""

    model_config = examples({"file_version": "sha256:5e2b", "dry_run": True})

    file_version: Identifier | None = Field(
        default=None, description="Of the question to grade by; as it is now where absent."
    )
    judge: Identifier | None = None
    dry_run: bool = Field(default=False, description="Whether the grade is kept without counting.")


class ReviewOut(Output):
    """What a learner may know once the attempt is handed in for good."""

    model_config = examples(
        {
            "submission_id": "sub_06f3q8z1",
            "model_answer": "Softmax weights add up to one, so ...",
            "missed": [
                {
                    "signal_id": "weights-sum-to-one",
                    "outcome": "not_met",
                    "statement": "Softmax weights must add up to one, so ...",
                }
            ],
        }
    )

    submission_id: str
    model_answer: str
    missed: tuple["MissedOut", ...]


class MissedOut(Output):
    """A statement that the answer did not make, or made in part."""

    signal_id: str
    outcome: Outcome
    statement: str


class FollowUpOut(Output):
    """A question asked after the first answer, and the submission that answers it."""

    id: str
    text: str
    submission_id: str | None = None


class FollowUpsOut(Output):
    """Follow-ups of a submission, and the score with what their answers lifted."""

    model_config = examples(
        {
            "items": [{"id": "s3", "text": "What happens at the first eviction?"}],
            "score": 41.7,
            "low": 41.7,
            "high": 58.3,
        }
    )

    items: tuple[FollowUpOut, ...]
    score: float | None = None
    low: float | None = None
    high: float | None = None


class FollowUpIn(Input):
    """The answer to a follow-up."""

    model_config = examples({"id": "s3", "text": "The weights no longer have a place to go."})

    id: Identifier
    text: AnswerText
