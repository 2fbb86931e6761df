"""``grader grade``."""

import asyncio
import secrets
from pathlib import Path
from typing import Annotated

import typer

from grader.bank.draw import draw_question
from grader.cli.answer_input import answer_text, question_from
from grader.cli.judge_choice import OFFLINE, chosen_judge, demand_configured, llm_judges
from grader.cli.judge_options import JudgeOptions, takes_judge
from grader.domain.answer import Answer, AnswerSource
from grader.judges.pipeline import grade_answer


@takes_judge
def command(
    judge: JudgeOptions,
    answer: Annotated[str, typer.Option(help="The text, @FILE, or - for standard input.")],
    question: Annotated[str | None, typer.Option(help="Id of a question of the bank.")] = None,
    rubric: Annotated[Path | None, typer.Option(help="A rubric file instead.")] = None,
    source: Annotated[AnswerSource, typer.Option(help="How the answer was given.")] = (
        AnswerSource.TYPED
    ),
    draw_seed: Annotated[int | None, typer.Option(help="Seed of the drawn figures.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The grade as JSON (docs/schemas/grade.schema.json).")
    ] = False,
) -> None:
    """Grade one answer against its rubric."""
    asked = question_from(question, rubric)
    given = Answer.of(answer_text(answer), source)
    chosen = chosen_judge(judge.judge, judge, live=True, run=f"grade-{secrets.token_hex(4)}")
    if judge.dry_run:
        from grader.cli.dry_run import print_dry_run

        print_dry_run(llm_judges(chosen), [(draw_question(asked, draw_seed), given)])
        return
    grade = asyncio.run(grade_answer(asked, given, chosen, draw_seed=draw_seed))
    if judge.judge != OFFLINE:
        demand_configured(chosen)
    if as_json:
        print(grade.model_dump_json(indent=2))
        return
    from rich.console import Console

    from grader.cli.card import print_card

    print_card(Console(highlight=False), draw_question(asked, draw_seed), given, grade)
