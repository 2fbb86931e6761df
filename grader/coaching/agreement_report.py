"""How well a judge agrees with people, over labelled verdicts: overall and by signal."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from grader.coaching.agreement import (
    DEFAULT_DRAWS,
    DEFAULT_SEED,
    Floats,
    group_draws,
    percentile_interval,
    table_accuracy,
    table_kappa,
    table_macro_f1,
)
from grader.domain.model import FrozenModel
from grader.domain.verdict import Outcome

_CLASSES = (Outcome.MET, Outcome.PARTIAL, Outcome.NOT_MET)
_K = len(_CLASSES)
_ECE_BINS = 10


class PartialAs(StrEnum):
    """How partial verdicts and labels enter the measures."""

    KEEP = "keep"
    MET = "met"
    NOT_MET = "not_met"
    DROP = "drop"


class LabelledVerdict(FrozenModel):
    """One judged signal of one answer, with a person's label.

    Attributes:
        confidence: The judge's own, in [0, 1].
    """

    question_id: str
    answer_id: str
    signal_id: str
    label: Outcome
    predicted: Outcome
    confidence: float


class Estimate(FrozenModel):
    """A figure with its 95 % interval; None where not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Agreement(FrozenModel):
    """How well a judge agrees with people on a set of rows.

    All but ``rows`` and ``coverage`` are over decided rows, those not ``cannot_assess``.

    Attributes:
        rows: Labelled rows.
        decided: Rows that the judge decided.
        coverage: Their share.
        met_rate_bias: Share that the judge calls met minus the share that people do.
        calibration_error: Expected calibration error of the confidence in the own outcome.
    """

    rows: int
    decided: int
    coverage: Estimate
    accuracy: Estimate
    macro_f1: Estimate
    kappa: Estimate
    met_rate_bias: Estimate
    calibration_error: Estimate


class AgreementReport(FrozenModel):
    """Agreement overall, and by signal under ``question id/signal id``."""

    partial_as: PartialAs
    overall: Agreement
    signals: Mapping[str, Agreement]


def agreement_report(
    rows: Sequence[LabelledVerdict],
    *,
    partial_as: PartialAs = PartialAs.KEEP,
    draws: int = DEFAULT_DRAWS,
    seed: int = DEFAULT_SEED,
) -> AgreementReport:
    """Agreement over labelled verdicts.

    Intervals resample questions, or answers where all rows are of one question.

    Args:
        rows: Labelled verdicts; a label of ``cannot_assess`` is no label and is left out.
        partial_as: Keep ``partial`` as a class of its own, count it as met or as not met, or drop
            rows whose label is partial (a predicted partial then counts as met).
        draws: Resamples of the intervals.
        seed: Of the resampling.
    """
    counted = [_with_partial(r, partial_as) for r in rows if _has_label(r, partial_as)]
    by_signal: dict[str, list[LabelledVerdict]] = {}
    for row in counted:
        by_signal.setdefault(f"{row.question_id}/{row.signal_id}", []).append(row)
    return AgreementReport(
        partial_as=partial_as,
        overall=_agreement(counted, draws, seed),
        signals={key: _agreement(found, draws, seed) for key, found in by_signal.items()},
    )


def _has_label(row: LabelledVerdict, partial_as: PartialAs) -> bool:
    dropped = partial_as is PartialAs.DROP and row.label is Outcome.PARTIAL
    return row.label is not Outcome.CANNOT_ASSESS and not dropped


def _with_partial(row: LabelledVerdict, partial_as: PartialAs) -> LabelledVerdict:
    if partial_as is PartialAs.KEEP or Outcome.PARTIAL not in (row.label, row.predicted):
        return row
    stand_in = Outcome.NOT_MET if partial_as is PartialAs.NOT_MET else Outcome.MET
    swap = {Outcome.PARTIAL: stand_in}
    return row.model_copy(
        update={
            "label": swap.get(row.label, row.label),
            "predicted": swap.get(row.predicted, row.predicted),
        }
    )


def _agreement(rows: Sequence[LabelledVerdict], draws: int, seed: int) -> Agreement:
    tallies = _tallies(rows)
    total = tallies.sum(axis=0)
    drawn = group_draws(len(tallies), draws, seed) @ tallies if len(tallies) > 1 else None

    def estimate(measure: Callable[[Floats], Floats]) -> Estimate:
        value = float(measure(total))
        interval = percentile_interval(measure(drawn)) if drawn is not None else None
        low, high = interval or (None, None)
        return Estimate(value=None if np.isnan(value) else value, low=low, high=high)

    return Agreement(
        rows=len(rows),
        decided=sum(r.predicted is not Outcome.CANNOT_ASSESS for r in rows),
        coverage=estimate(lambda t: _share(_table(t).sum(axis=(-2, -1)), _rows(t))),
        accuracy=estimate(lambda t: table_accuracy(_table(t))),
        macro_f1=estimate(lambda t: table_macro_f1(_table(t))),
        kappa=estimate(lambda t: table_kappa(_table(t))),
        met_rate_bias=estimate(_met_rate_bias),
        calibration_error=estimate(_calibration_error),
    )


def _tallies(rows: Sequence[LabelledVerdict]) -> Floats:
    """Counts that add up over rows, one line per question (or answer).

    Columns: the label-by-prediction table, the undecided rows, and in each confidence bin the sum
    of correctness minus confidence.
    """
    single = len({r.question_id for r in rows}) <= 1
    groups: dict[str, int] = {}
    for row in rows:
        groups.setdefault(row.answer_id if single else row.question_id, len(groups))
    tallies = np.zeros((len(groups), _K * _K + 1 + _ECE_BINS))
    for row in rows:
        line = tallies[groups[row.answer_id if single else row.question_id]]
        if row.predicted is Outcome.CANNOT_ASSESS:
            line[_K * _K] += 1
            continue
        line[_CLASSES.index(row.label) * _K + _CLASSES.index(row.predicted)] += 1
        bin_of = min(int(row.confidence * _ECE_BINS), _ECE_BINS - 1)
        line[_K * _K + 1 + bin_of] += (row.label is row.predicted) - row.confidence
    return tallies


def _table(tallies: Floats) -> Floats:
    return tallies[..., : _K * _K].reshape(*tallies.shape[:-1], _K, _K)


def _rows(tallies: Floats) -> Floats:
    return np.asarray(tallies[..., : _K * _K + 1].sum(axis=-1))


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> Floats:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 0)


def _met_rate_bias(tallies: Floats) -> Floats:
    table = _table(tallies)
    met = _CLASSES.index(Outcome.MET)
    gap = table[..., :, met].sum(axis=-1) - table[..., met, :].sum(axis=-1)
    return _share(np.asarray(gap), np.asarray(table.sum(axis=(-2, -1))))


def _calibration_error(tallies: Floats) -> Floats:
    gaps = np.abs(tallies[..., _K * _K + 1 :]).sum(axis=-1)
    return _share(np.asarray(gaps), np.asarray(_table(tallies).sum(axis=(-2, -1))))
