"""``grader agreement``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import AliasChoices, ConfigDict, Field, ValidationError

from grader.coaching.comparison import Agreement, Figure, JudgedPair, compare
from grader.domain.model import FrozenModel
from grader.domain.verdict import Outcome
from grader.errors import InputError


class _Label(FrozenModel):
    """One label; another judge's predictions are labels too."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    question_id: str
    answer_id: str
    signal_id: str
    label: Annotated[Outcome, Field(validation_alias=AliasChoices("label", "verdict"))]


class _Prediction(FrozenModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
    question_id: str
    answer_id: str
    signal_id: str
    verdict: Outcome
    confidence: float = 1.0


_Row = TypeVar("_Row", _Label, _Prediction)
_Key = tuple[str, str, str]


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
    found = dict(_keyed(predictions, _Prediction, "--predictions"))
    pairs = []
    for key, row in _keyed(labels, _Label, "--labels"):
        if row.label is Outcome.CANNOT_ASSESS:
            continue
        prediction = found.get(key)
        verdict = prediction.verdict if prediction else None
        confidence = prediction.confidence if prediction else 0.0
        pairs.append(JudgedPair(*key, row.label, verdict, confidence))
    if not pairs:
        raise InputError(f"--labels: {labels} holds no label", remedy="give labelled signals")
    return pairs


def _keyed(path: Path, model: type[_Row], option: str) -> Iterator[tuple[_Key, _Row]]:
    seen: set[_Key] = set()
    try:
        file = path.open(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{option}: {path} cannot be read: {error.strerror}", remedy="give a JSON-lines file"
        ) from error
    with file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = model.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                field = ".".join(map(str, first["loc"])) or "row"
                raise InputError(f"{option}: line {number}: {field}: {first['msg']}") from error
            key = (row.question_id, row.answer_id, row.signal_id)
            if key in seen:
                raise InputError(f"{option}: line {number}: {'/'.join(key)} stands twice")
            seen.add(key)
            yield key, row
