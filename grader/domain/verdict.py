"""A judge's finding on one signal, with the words that earned it."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from grader.domain.model import FrozenModel


class Outcome(StrEnum):
    """What a judge found for one signal."""

    MET = "met"
    PARTIAL = "partial"
    NOT_MET = "not_met"
    CANNOT_ASSESS = "cannot_assess"


class Evidence(FrozenModel):
    """A span of the answer.

    Attributes:
        start: First character, in Unicode code points of the answer as stored.
        end: One past the last character.
        quote: The text of the span, equal to ``answer[start:end]``.
    """

    start: Annotated[int, Field(ge=0)]
    end: int
    quote: str

    @model_validator(mode="after")
    def _sized(self) -> Self:
        if self.end - self.start != len(self.quote):
            raise ValueError(f"span [{self.start}, {self.end}) does not fit its quote")
        return self

    @classmethod
    def of(cls, text: str, start: int, end: int) -> "Evidence":
        """The evidence that ``text[start:end]`` is."""
        return cls(start=start, end=end, quote=text[start:end])

    def holds_in(self, text: str) -> bool:
        """Whether the quote is what the answer says at this span."""
        return text[self.start : self.end] == self.quote


class Verdict(FrozenModel):
    """The finding of one judge on one signal.

    Attributes:
        confidence: Probability in [0, 1] that the outcome is right, as the judge states it.
        reasons: Stable reason codes, most telling first.
        judge: Identity of the judge, with its version.
        comment: Short explanation for a person; empty where none was asked for.
    """

    signal_id: str
    outcome: Outcome
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    evidence: tuple[Evidence, ...] = ()
    reasons: tuple[str, ...] = ()
    judge: str = ""
    comment: str = ""
