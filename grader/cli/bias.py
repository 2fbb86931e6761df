"""``grader bias``."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.judge_choice import OFFLINE, chosen_judge, demand_configured
from grader.cli.judge_options import JudgeOptions, takes_judge
from grader.cli.rejudged import Asked, asked_answers, graded
from grader.coaching.bias import CHANGES, BiasShift, Change, bias_shift
from grader.domain.answer import Answer

_SAMPLE = 50


@takes_judge
def command(
    judge: JudgeOptions,
    rubrics: Annotated[Path, typer.Option(help="Folder of the question bank.")],
    answers: Annotated[Path, typer.Option(help="JSON lines: question_id, answer_id, text.")],
    sample: Annotated[int, typer.Option(min=1, help="Answers to judge changed.")] = _SAMPLE,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a change.")] = False,
) -> None:
    """Change answers in form alone and report how the scores shift."""
    asked = asked_answers(rubrics, answers, sample)
    chosen = chosen_judge(judge.judge, judge, run=f"bias-{secrets.token_hex(4)}")
    before = graded(asked, chosen)
    if judge.judge != OFFLINE:
        demand_configured(chosen)
    for change in CHANGES:
        after = graded([_changed(a, change) for a in asked], chosen)
        shift = bias_shift(change.name, before, after)
        print(shift.model_dump_json() if as_json else _line(shift))


def _changed(asked: Asked, change: Change) -> Asked:
    answer = Answer.of(change.text(asked.answer.text), asked.answer.source)
    return Asked(change.question(asked.question), answer)


def _line(shift: BiasShift) -> str:
    interval = shift.interval
    between = f" [{interval[0]:+.1f}, {interval[1]:+.1f}]" if interval else ""
    flipped = "-" if shift.flipped is None else f"{shift.flipped:.1%}"
    return f"{shift.change}: {shift.shift:+.1f} points{between}, {flipped} of verdicts flipped"
