"""The result of grading one answer."""

from typing import Annotated

from pydantic import Field

from grader.domain.model import FrozenModel
from grader.domain.verdict import Verdict

Points = Annotated[float, Field(ge=0, le=100)]


class Score(FrozenModel):
    """Points of 100 with their range; ``score`` equals ``low``."""

    score: Points
    low: Points
    high: Points

    @property
    def provisional(self) -> bool:
        """Whether something could not be assessed, so that the final score may be higher."""
        return self.low != self.high


class Grade(FrozenModel):
    """Score, verdicts and flags of one answer to one question.

    Attributes:
        flags: Stable codes of what was noticed about the answer as a whole.
        rubric_version: Content hash of what a judge or the score can see of the question.
        draw_seed: Seed of the drawn parameters; None where the question has none.
        provisional: Whether any signal could not be assessed.
    """

    question_id: str
    rubric_version: str
    score: Points
    low: Points
    high: Points
    provisional: bool
    verdicts: tuple[Verdict, ...]
    flags: tuple[str, ...] = ()
    draw_seed: int | None = None
