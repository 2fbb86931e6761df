"""``grader stability``."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.judge_choice import OFFLINE, chosen_judge, demand_configured
from grader.cli.judge_options import JudgeOptions, takes_judge
from grader.cli.rejudged import asked_answers, graded
from grader.coaching.stability import StabilityReport, stability_report

_SAMPLE = 50


@takes_judge
def command(
    judge: JudgeOptions,
    rubrics: Annotated[Path, typer.Option(help="Folder of the question bank.")],
    answers: Annotated[Path, typer.Option(help="JSON lines: question_id, answer_id, text.")],
    sample: Annotated[int, typer.Option(min=1, help="Answers to judge twice.")] = _SAMPLE,
    as_json: Annotated[bool, typer.Option("--json", help="The whole report as JSON.")] = False,
) -> None:
    """Judge a sample twice with the same settings and report which verdicts flip."""
    asked = asked_answers(rubrics, answers, sample)
    run = f"stability-{secrets.token_hex(4)}"
    runs = []
    for draw in (0, 1):
        chosen = chosen_judge(judge.judge, judge, run=run, draw=draw)
        runs.append(graded(asked, chosen))
        if judge.judge != OFFLINE:
            demand_configured(chosen)
    report = stability_report(*runs)
    print(report.model_dump_json(indent=2) if as_json else "\n".join(_lines(report)))


def _lines(report: StabilityReport) -> list[str]:
    if report.flip_share is None:
        return [f"{report.answers} answers, no signal decided by both runs"]
    interval = report.interval
    between = f" [{interval[0]:.1%}, {interval[1]:.1%}]" if interval else ""
    lines = [
        f"{report.answers} answers: {report.flips} of {report.decided} verdicts flipped, "
        f"{report.flip_share:.1%}{between}",
        f"{report.undecided} signals decided by one run only; "
        f"scores differ by {report.score_shift:.1f} points on average",
    ]
    worst = sorted(report.by_signal.items(), key=lambda item: -item[1])
    return lines + [f"  {name}: {count}" for name, count in worst]
