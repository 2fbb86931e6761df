"""``grader calibrate``."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import AliasChoices, Field

from grader.cli.judge_choice import release_policy
from grader.cli.labelled_rows import SignalRow, keyed_rows
from grader.coaching.calibration import AUDIT_SHARE, AuditedVerdict, fit_release, is_audited
from grader.domain.verdict import Outcome
from grader.errors import InputError
from grader.judges.release import ReleasePolicy
from grader.settings import Settings


class _Label(SignalRow):
    label: Annotated[Outcome, Field(validation_alias=AliasChoices("label", "verdict"))]
    source: Literal["audit", "review"] = "audit"


class _Prediction(SignalRow):
    verdict: Outcome
    confidence: float
    judge: str


def command(
    predictions: Annotated[Path, typer.Option(help="Predictions of `grader grade-batch`.")],
    labels: Annotated[
        Path | None,
        typer.Option(help="JSON lines: question, answer, signal, label, source audit or review."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where the thresholds go, as JSON.")] = None,
    audit: Annotated[
        Path | None, typer.Option(help="Instead: writes a random sample of verdicts to label.")
    ] = None,
    share: Annotated[float, typer.Option(min=0, max=1, help="Share to sample.")] = AUDIT_SHARE,
    release: Annotated[
        Path | None, typer.Option(help="Sample only what these thresholds release.")
    ] = None,
    error: Annotated[float, typer.Option(min=0.001, max=0.5, help="Bound on the error.")] = 0.10,
    assurance: Annotated[
        float, typer.Option(min=0.5, max=0.999, help="Probability that the bound holds.")
    ] = 0.95,
) -> None:
    """Fit release thresholds from labelled verdicts, or draw the sample to label."""
    if (labels is None) == (audit is None):
        raise InputError("give either --labels to fit thresholds or --audit to draw a sample")
    if audit is not None:
        print(f"{_draw(predictions, audit, share, release)} verdicts to label in {audit}")
        return
    assert labels is not None
    policy = fit_release(_audited(predictions, labels), error=error, assurance=assurance)
    _print(policy)
    if out is not None:
        out.write_text(policy.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _audited(predictions: Path, labels: Path) -> Iterator[AuditedVerdict]:
    """The labelled verdicts that count: drawn at random, and decided by the judge."""
    given = dict(keyed_rows(labels, _Label, "--labels"))
    if not given:
        raise InputError(f"--labels: {labels} holds no label", remedy="label an audit sample")
    for key, row in keyed_rows(predictions, _Prediction, "--predictions"):
        label = given.get(key)
        if label is None or label.source == "review":
            continue
        if Outcome.CANNOT_ASSESS in (row.verdict, label.label):
            continue
        yield AuditedVerdict(
            judge=row.judge,
            question_id=row.question_id,
            signal_id=row.signal_id,
            verdict=row.verdict,
            confidence=row.confidence,
            label=label.label,
        )


def _draw(predictions: Path, audit: Path, share: float, release: Path | None) -> int:
    policy = release_policy(release) if release is not None else None
    secret = Settings.from_environment().secret_bytes()
    if audit.exists():
        raise InputError(f"--audit: {audit} exists", remedy="give another file")
    count = 0
    with audit.open("x", encoding="utf-8") as file:
        for key, row in keyed_rows(predictions, _Prediction, "--predictions"):
            if _may_be_drawn(row, policy) and is_audited(key, share, secret):
                fields = dict(zip(("question_id", "answer_id", "signal_id"), key, strict=True))
                file.write(json.dumps(fields, ensure_ascii=False) + "\n")
                count += 1
    return count


def _may_be_drawn(row: _Prediction, policy: ReleasePolicy | None) -> bool:
    if row.verdict is Outcome.CANNOT_ASSESS:
        return False
    return policy is None or policy.releases(
        row.judge, row.question_id, row.signal_id, row.confidence
    )


def _print(policy: ReleasePolicy) -> None:
    if not policy.judges:
        print("no labelled verdict of any judge")
    for judge, bound in policy.judges.items():
        kappa = policy.agreement.get(judge)
        told = "" if kappa is None else f"; kappa {kappa:.2f}"
        print(f"{judge}: {bound.told}{told}")
    for key, bound in policy.signals.items():
        print(f"  {key}: {bound.told}")
