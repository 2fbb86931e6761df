"""``grader agreement``."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import AliasChoices, Field

from grader.cli.labelled_rows import SignalRow, keyed_rows
from grader.coaching.comparison import Agreement, Figure, JudgedPair, compare
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
    as_json: Annotated[bool, typer.Option("--json", help="The whole report as JSON.")] = False,
) -> None:
    """Compare verdicts with labels by people, or with another judge's predictions."""
    report = compare(_pairs(labels, predictions))
    if as_json:
        print(report.model_dump_json(indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*("signal", "n", *_COLUMNS), box=None, pad_edge=False)
    for name, agreement in report.signals.items():
        table.add_row(name, str(agreement.n), *(_shown(f) for f in _figures(agreement)))
    overall = report.overall
    table.add_section()
    table.add_row("all", str(overall.n), *(_shown(f) for f in _figures(overall)), style="bold")
    Console(highlight=False).print(table)


_COLUMNS = ("coverage", "accuracy", "macro-F1", "kappa", "calibration error", "met-rate bias")


def _figures(agreement: Agreement) -> tuple[Figure, ...]:
    return (
        agreement.coverage,
        agreement.accuracy,
        agreement.macro_f1,
        agreement.kappa,
        agreement.calibration_error,
        agreement.met_rate_bias,
    )


def _shown(figure: Figure) -> str:
    if figure.value is None:
        return "-"
    interval = figure.interval
    return f"{figure.value:.2f}" + (f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else "")


def _pairs(labels: Path, predictions: Path) -> list[JudgedPair]:
    found = dict(keyed_rows(predictions, _Prediction, "--predictions"))
    pairs = []
    for key, row in keyed_rows(labels, _Label, "--labels"):
        if row.label is Outcome.CANNOT_ASSESS:
            continue
        prediction = found.get(key)
        verdict = prediction.verdict if prediction else None
        confidence = prediction.confidence if prediction else 0.0
        pairs.append(JudgedPair(*key, row.label, verdict, confidence))
    if not pairs:
        raise InputError(f"--labels: {labels} holds no label", remedy="give labelled signals")
    return pairs
