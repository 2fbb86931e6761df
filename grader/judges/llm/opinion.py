"""What one reply says of one signal, after the checks in code."""

from dataclasses import dataclass
from enum import StrEnum

from grader.domain.verdict import Evidence, Outcome


class Doubt(StrEnum):
    """Why a signal is asked about once more. They stand among the reasons of a verdict."""

    MISSING = "evidence_missing"
    NOT_IN_TEXT = "evidence_not_in_text"
    UNRELATED = "evidence_unrelated"
    UNSURE = "low_confidence"
    RELATION = "relation_violated"


UNSUPPORTED = frozenset({Doubt.MISSING, Doubt.NOT_IN_TEXT, Doubt.UNRELATED})
"""Doubts about the evidence: with one of them no credit stands."""


@dataclass(frozen=True)
class Opinion:
    """One readable finding.

    Attributes:
        confidence: As the model states it, in [0, 1].
        evidence: Spans of the answer that the quote was found at.
        doubts: Why it is not to be relied on; empty for a sound one.
        model: Who said so.
    """

    signal_id: str
    outcome: Outcome
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    comment: str = ""
    doubts: tuple[Doubt, ...] = ()
    model: str = ""

    @property
    def supported(self) -> bool:
        """Whether the evidence carries the outcome."""
        return not UNSUPPORTED.intersection(self.doubts)
