"""Comparing a judge's verdicts with labels, by people or by another judge.

A verdict `cannot_assess`, or none at all, is undecided: it lowers the coverage and stands in no
other figure, so that a judge which decides little is seen to decide little.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from grader.coaching.agreement import (
    Indices,
    accuracy,
    bootstrap_by_group,
    cohen_kappa,
    expected_calibration_error,
    macro_f1,
)
from grader.domain.model import FrozenModel
from grader.domain.verdict import Outcome


@dataclass(frozen=True)
class JudgedPair:
    """One signal of one answer: its label, and the judge's verdict where it has one."""

    question_id: str
    answer_id: str
    signal_id: str
    label: Outcome
    verdict: Outcome | None
    confidence: float

    @property
    def decided(self) -> bool:
        """Whether the judge committed itself."""
        return self.verdict not in (None, Outcome.CANNOT_ASSESS)


class Figure(FrozenModel):
    """A statistic with its 95 % interval; None where it is not defined."""

    value: float | None
    interval: tuple[float, float] | None = None


class Agreement(FrozenModel):
    """How far verdicts agree with labels.

    Attributes:
        n: Labelled pairs.
        coverage: Share of them that the judge decided.
        accuracy, macro_f1, kappa: Over decided pairs, outcomes met, partial, not_met.
        calibration_error: Mean gap between stated confidence and accuracy (ten bins).
        met_rate_bias: Share of met among verdicts minus share among labels, decided pairs.
    """

    n: int
    coverage: Figure
    accuracy: Figure
    macro_f1: Figure
    kappa: Figure
    calibration_error: Figure
    met_rate_bias: Figure


class AgreementReport(FrozenModel):
    """Overall, and signal by signal (``question_id/signal_id``)."""

    overall: Agreement
    signals: dict[str, Agreement]


def compare(pairs: Sequence[JudgedPair]) -> AgreementReport:
    """Agreement over all pairs (with intervals) and for each signal (without)."""
    by_signal: dict[str, list[JudgedPair]] = {}
    for pair in pairs:
        by_signal.setdefault(f"{pair.question_id}/{pair.signal_id}", []).append(pair)
    return AgreementReport(
        overall=_agreement(pairs, intervals=True),
        signals={name: _agreement(rows, intervals=False) for name, rows in by_signal.items()},
    )


_Statistic = Callable[[Sequence[JudgedPair]], float | None]


def _agreement(pairs: Sequence[JudgedPair], *, intervals: bool) -> Agreement:
    decided = [p for p in pairs if p.decided]

    def figure(rows: Sequence[JudgedPair], statistic: _Statistic) -> Figure:
        interval = _interval(rows, statistic) if intervals else None
        return Figure(value=statistic(rows), interval=interval)

    return Agreement(
        n=len(pairs),
        coverage=figure(pairs, _coverage),
        accuracy=figure(decided, lambda r: accuracy(_labels(r), _verdicts(r))),
        macro_f1=figure(decided, lambda r: macro_f1(_labels(r), _verdicts(r))),
        kappa=figure(decided, lambda r: cohen_kappa(_labels(r), _verdicts(r))),
        calibration_error=figure(decided, _calibration_error),
        met_rate_bias=figure(decided, _met_rate_bias),
    )


def _interval(rows: Sequence[JudgedPair], statistic: _Statistic) -> tuple[float, float] | None:
    def of(indices: Indices) -> float | None:
        return statistic([rows[i] for i in indices])

    return bootstrap_by_group(_groups(rows), of)


def _groups(rows: Sequence[JudgedPair]) -> list[Hashable]:
    """Whole questions are resampled; of a single question, whole answers."""
    questions: list[Hashable] = [p.question_id for p in rows]
    return questions if len(set(questions)) > 1 else [p.answer_id for p in rows]


def _labels(rows: Sequence[JudgedPair]) -> list[str]:
    return [p.label.value for p in rows]


def _verdicts(rows: Sequence[JudgedPair]) -> list[str]:
    return [p.verdict.value for p in rows if p.verdict is not None]


def _coverage(rows: Sequence[JudgedPair]) -> float | None:
    return float(np.mean([p.decided for p in rows])) if rows else None


def _calibration_error(rows: Sequence[JudgedPair]) -> float | None:
    right = [p.label is p.verdict for p in rows]
    return expected_calibration_error(right, [p.confidence for p in rows])


def _met_rate_bias(rows: Sequence[JudgedPair]) -> float | None:
    if not rows:
        return None
    judged = np.mean([p.verdict is Outcome.MET for p in rows])
    return float(judged - np.mean([p.label is Outcome.MET for p in rows]))
