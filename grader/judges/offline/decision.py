"""From measured features to an outcome: met, not_met, or cannot_assess with the reason."""

from dataclasses import dataclass
from enum import StrEnum

from grader.domain.verdict import Outcome
from grader.judges.offline.features import SignalFeatures
from grader.judges.offline.logistic import sigmoid

MET_FROM = 0.65
NOT_MET_BELOW = 0.35
UNCALIBRATED_CAP = 0.85
CALIBRATED_CAP = 0.95
_CONFLICT_SHARE = 0.25
_WORTH_A_LOOK = 0.35


class Reason(StrEnum):
    """Stable codes of why the offline judge decided as it did."""

    MATCH = "match"
    NO_MATCH = "no_match"
    UNSURE = "unsure"
    NEGATED = "negated"
    NEGATION_CONFLICT = "negation_conflict"
    CONTRADICTION = "contradiction"
    OPPOSITE = "opposite_said"
    NEAR_MISS = "near_miss"
    FIGURE_MISSING = "figure_missing"
    FLAGGED_NEARBY = "flagged_nearby"
    LANGUAGE = "language"
    UNCALIBRATED = "uncalibrated"
    CALIBRATED = "calibrated"
    NOTHING_TO_MATCH = "nothing_to_match"


@dataclass(frozen=True)
class Decision:
    """An outcome with the confidence in it and the reasons."""

    outcome: Outcome
    confidence: float
    reasons: tuple[Reason, ...]


def decide(
    features: SignalFeatures, log_odds: float, *, negative: bool, calibrated: bool
) -> Decision:
    """Decides one signal.

    Args:
        features: What was measured.
        log_odds: Of the signal being met, after any shift.
        negative: Whether the signal is a misconception.
        calibrated: Whether the log odds were shifted by graded answers.
    """
    probability = sigmoid(log_odds)
    outcome, reason = _outcome(features, probability, negative)
    cap = CALIBRATED_CAP if calibrated else UNCALIBRATED_CAP
    confidence = {
        Outcome.MET: min(probability, cap),
        Outcome.NOT_MET: min(1 - probability, cap),
    }.get(outcome, 0.0)
    if reason is Reason.NEGATED:
        confidence = max(confidence, NOT_MET_BELOW)
    known = Reason.CALIBRATED if calibrated else Reason.UNCALIBRATED
    return Decision(outcome, round(confidence, 4), (reason, known))


def _outcome(
    features: SignalFeatures, probability: float, negative: bool
) -> tuple[Outcome, Reason]:
    doubt = _doubt(features)
    if features.best is None:
        return Outcome.NOT_MET, Reason.NO_MATCH
    if doubt is Reason.NEGATION_CONFLICT and negative and features.best.agree == 0:
        return Outcome.NOT_MET, Reason.NEGATED
    if doubt is not None and _would_match(features, probability):
        return Outcome.CANNOT_ASSESS, doubt
    if probability >= MET_FROM:
        return Outcome.MET, Reason.MATCH
    if probability < NOT_MET_BELOW:
        return Outcome.NOT_MET, Reason.NO_MATCH
    return Outcome.CANNOT_ASSESS, Reason.UNSURE


def _doubt(features: SignalFeatures) -> Reason | None:
    """The first thing that forbids to decide by likeness alone."""
    best = features.best
    if best is None:
        return None
    if best.window.flagged:
        return Reason.FLAGGED_NEARBY
    if best.conflict >= _CONFLICT_SHARE * best.found and best.conflict > 0:
        return Reason.NEGATION_CONFLICT
    if features.contradiction is not None:
        return Reason.CONTRADICTION
    if features.missing_figures and features["figures"] <= -0.5:
        return Reason.FIGURE_MISSING
    return None


def _would_match(features: SignalFeatures, probability: float) -> bool:
    """Whether the answer would be near enough to a match, were it not for the doubt."""
    found = features.best.found if features.best is not None else 0.0
    return probability >= _WORTH_A_LOOK or found >= 0.5
