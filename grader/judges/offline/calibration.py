"""Shifting a signal's threshold to the few answers that people have graded for it."""

import math
from collections.abc import Mapping, Sequence

from pydantic import Field

from grader.domain.model import FrozenModel
from grader.judges.offline.logistic import sigmoid

LEAST_LABELS = 3
PRIOR_PRECISION = 0.5
_STEPS = 50
_TOLERANCE = 1e-10


class SignalShift(FrozenModel):
    """What graded answers taught about one signal.

    Attributes:
        shift: Added to the log odds.
        variance: How unsure the shift itself still is.
        labels: Number of graded answers behind it.
    """

    shift: float
    variance: float = Field(gt=0)
    labels: int = Field(ge=LEAST_LABELS)

    def applied(self, log_odds: float) -> float:
        """The shifted log odds, drawn towards 0 as far as the shift is unsure.

        The moderated output of MacKay (1992): the mean of the sigmoid over a normally
        distributed shift.
        """
        return (log_odds + self.shift) / math.sqrt(1 + math.pi * self.variance / 8)


class Calibration(FrozenModel):
    """Shifts by question and signal, for one version of the model.

    Attributes:
        judge: Identity of the judge whose log odds are shifted.
        shifts: ``question id`` -> ``signal id`` -> shift.
    """

    judge: str
    shifts: Mapping[str, Mapping[str, SignalShift]] = Field(default_factory=dict)

    def shift(self, question_id: str, signal_id: str) -> SignalShift | None:
        """The shift of a signal; None where it was never calibrated."""
        return self.shifts.get(question_id, {}).get(signal_id)


def fit_bias(
    log_odds: Sequence[float], labels: Sequence[bool], precision: float = PRIOR_PRECISION
) -> SignalShift | None:
    """The shift that fits graded answers best, shrunk towards none.

    Maximises the likelihood of the labels under ``sigmoid(log_odds + shift)`` with a normal
    prior on the shift, by Newton's method with steps of at most 1.

    Args:
        log_odds: The judge's own, one per graded answer.
        labels: Whether a person found the signal met.
        precision: Of the prior, the inverse of its variance.

    Returns:
        None with fewer than three labels.

    Raises:
        ValueError: The lengths differ.
    """
    if len(log_odds) != len(labels):
        raise ValueError(f"{len(log_odds)} log odds but {len(labels)} labels")
    if len(labels) < LEAST_LABELS:
        return None
    shift = 0.0
    for _ in range(_STEPS):
        gradient, curvature = _slopes(log_odds, labels, shift, precision)
        step = max(-1.0, min(1.0, gradient / curvature))
        shift += step
        if abs(step) < _TOLERANCE:
            break
    variance = 1 / _slopes(log_odds, labels, shift, precision)[1]
    return SignalShift(shift=round(shift, 6), variance=round(variance, 6), labels=len(labels))


def _slopes(
    log_odds: Sequence[float], labels: Sequence[bool], shift: float, precision: float
) -> tuple[float, float]:
    """Gradient and curvature of the log posterior at a shift."""
    p = [sigmoid(z + shift) for z in log_odds]
    gradient = math.fsum(y - q for y, q in zip(labels, p, strict=True)) - precision * shift
    return gradient, math.fsum(q * (1 - q) for q in p) + precision
