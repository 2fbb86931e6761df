"""``grader agreement``."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import AliasChoices, Field

from grader.cli.labelled_rows import SignalRow, keyed_rows
from grader.coaching.agreement_report import (
    Agreement,
    Estimate,
    LabelledVerdict,
    PartialAs,
    agreement_report,
)
from grader.domain.verdict import Outcome
from grader.errors import InputError


class _Label(SignalRow):
    """One label; another judge's predictions are labels too."""

    label: Annotated[Outcome, Field(validation_alias=AliasChoices("label", "verdict"))]


class _Prediction(SignalRow):
    verdict: Outcome
    confidence: float = 1.0


def command(
    labels: Annotated[Path, typer.Option(help="JSON lines with question, answer, signal, label.")],
    predictions: Annotated[Path, typer.Option(help="Predictions of `grader grade-batch`.")],
    partial_as: Annotated[
        PartialAs, typer.Option(help="How partial labels and verdicts count.")
    ] = PartialAs.KEEP,
    as_json: Annotated[bool, typer.Option("--json", help="The whole report as JSON.")] = False,
) -> None:
    """Compare verdicts with labels by people, or with another judge's predictions."""
    report = agreement_report(_labelled(labels, predictions), partial_as=partial_as)
    if as_json:
        print(report.model_dump_json(indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("signal", overflow="fold", min_width=_LEAST_NAME)
    for column in ("n", *_COLUMNS):
        table.add_column(column)
    for name, agreement in report.signals.items():
        table.add_row(name, str(agreement.rows), *(_shown(f) for f in _figures(agreement)))
    overall = report.overall
    table.add_section()
    table.add_row("all", str(overall.rows), *(_shown(f) for f in _figures(overall)), style="bold")
    Console(highlight=False).print(table)


_LEAST_NAME = 24
_COLUMNS = ("coverage", "accuracy", "macro-F1", "kappa", "calibration error", "met-rate bias")


def _figures(agreement: Agreement) -> tuple[Estimate, ...]:
    return (
        agreement.coverage,
        agreement.accuracy,
        agreement.macro_f1,
        agreement.kappa,
        agreement.calibration_error,
        agreement.met_rate_bias,
    )


def _shown(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    interval = f" [{estimate.low:.2f}, {estimate.high:.2f}]" if estimate.low is not None else ""
    return f"{estimate.value:.2f}{interval}"


def _labelled(labels: Path, predictions: Path) -> list[LabelledVerdict]:
    """Each label with the verdict on it; one that is missing counts as undecided."""
    found = dict(keyed_rows(predictions, _Prediction, "--predictions"))
    rows = [
        _joined(row, found.get(key))
        for key, row in keyed_rows(labels, _Label, "--labels")
        if row.label is not Outcome.CANNOT_ASSESS
    ]
    if not rows:
        raise InputError(f"--labels: {labels} holds no label", remedy="give labelled signals")
    keys = {(row.question_id, row.answer_id, row.signal_id) for row in rows}
    if without := len(keys - set(found)):
        print(
            f"grader: {without} labels have no prediction and count as undecided", file=sys.stderr
        )
    return rows


def _joined(row: _Label, prediction: _Prediction | None) -> LabelledVerdict:
    return LabelledVerdict(
        **row.model_dump(),
        predicted=prediction.verdict if prediction else Outcome.CANNOT_ASSESS,
        confidence=prediction.confidence if prediction else 0.0,
    )
