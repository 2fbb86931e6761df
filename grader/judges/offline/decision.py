"""From measured features to an outcome: met, not_met, or cannot_assess with the reason."""

from dataclasses import dataclass
from enum import StrEnum

from grader.domain.verdict import Outcome
from grader.judges.offline.features import SignalFeatures
from grader.judges.offline.logistic import sigmoid
from grader.judges.offline.match import Match
from grader.judges.offline.rubric import PreparedSignal

SURE = 0.65
SURE_OF_WORDING_ALONE = 0.75
"""How sure the judge must be to decide, the second where a signal lists no terms: chosen on the
bank's samples (their questions left out of training) so that at least 80 % of decided verdicts
are right, which ``bench/offline_judge.py`` prints. Public test sets had no part in it."""
UNCALIBRATED_CAP = 0.85
CALIBRATED_CAP = 0.95
_WORTH_A_LOOK = 0.35
_HALF_FOUND = 0.5
_DENIED_SHARE = 0.15


class Reason(StrEnum):
    """Stable codes of why the offline judge decided as it did."""

    MATCH = "match"
    NO_MATCH = "no_match"
    UNSURE = "unsure"
    NEGATED = "negated"
    NEGATION_CONFLICT = "negation_conflict"
    CONTRADICTION = "contradiction"
    FIGURE_MISSING = "figure_missing"
    FLAGGED_NEARBY = "flagged_nearby"
    LANGUAGE = "language"
    NOTHING_TO_MATCH = "nothing_to_match"
    UNCALIBRATED = "uncalibrated"
    CALIBRATED = "calibrated"


@dataclass(frozen=True)
class Decision:
    """An outcome with the confidence in it and the reasons."""

    outcome: Outcome
    confidence: float
    reasons: tuple[Reason, ...]


def decide(
    features: SignalFeatures, log_odds: float, signal: PreparedSignal, *, calibrated: bool
) -> Decision:
    """Decides one signal.

    Args:
        features: What was measured.
        log_odds: Of the signal being met, after any shift.
        signal: Tells whether it is a misconception, and whether terms back its wording.
        calibrated: Whether the log odds were shifted by graded answers.
    """
    probability = sigmoid(log_odds)
    sure = SURE if calibrated or signal.terms else SURE_OF_WORDING_ALONE
    outcome, reason = _outcome(features, probability, sure, signal)
    cap = CALIBRATED_CAP if calibrated else UNCALIBRATED_CAP
    known = Reason.CALIBRATED if calibrated else Reason.UNCALIBRATED
    return Decision(
        outcome, round(_confidence(outcome, reason, probability, cap), 4), (reason, known)
    )


def _confidence(outcome: Outcome, reason: Reason, probability: float, cap: float) -> float:
    if outcome is Outcome.CANNOT_ASSESS:
        return 0.0
    if reason is Reason.NEGATED:
        return min(SURE, cap)
    return min(probability if outcome is Outcome.MET else 1 - probability, cap)


def _outcome(
    features: SignalFeatures, probability: float, sure: float, signal: PreparedSignal
) -> tuple[Outcome, Reason]:
    if not signal.accepts:
        return Outcome.CANNOT_ASSESS, Reason.NOTHING_TO_MATCH
    if features.best is None:
        return Outcome.NOT_MET, Reason.NO_MATCH
    doubt = _doubt(features)
    if signal.negative and doubt is Reason.NEGATION_CONFLICT and _mostly_denied(features.best):
        return Outcome.NOT_MET, Reason.NEGATED
    if doubt is not None and _would_match(features.best, probability):
        return Outcome.CANNOT_ASSESS, doubt
    return _by_probability(probability, sure)


def _by_probability(probability: float, sure: float) -> tuple[Outcome, Reason]:
    if probability >= sure:
        return Outcome.MET, Reason.MATCH
    if probability <= 1 - sure:
        return Outcome.NOT_MET, Reason.NO_MATCH
    return Outcome.CANNOT_ASSESS, Reason.UNSURE


def _mostly_denied(best: Match) -> bool:
    return best.conflict >= best.agree


def _doubt(features: SignalFeatures) -> Reason | None:
    """The first thing that forbids to decide by likeness alone."""
    best = features.best
    if best is None:
        return None
    if best.window.flagged:
        return Reason.FLAGGED_NEARBY
    if best.conflict > 0 or features.denied_share >= _DENIED_SHARE:
        return Reason.NEGATION_CONFLICT
    if features.contradiction is not None:
        return Reason.CONTRADICTION
    if not features.states_figures:
        return Reason.FIGURE_MISSING
    return None


def _would_match(best: Match, probability: float) -> bool:
    """Whether the answer would be near enough to a match, were it not for the doubt."""
    return probability >= _WORTH_A_LOOK or best.found >= _HALF_FOUND
