"""``grader grade``."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.answer_input import answer_text, question_from
from grader.cli.judge_choice import OFFLINE, chosen_judge
from grader.domain.answer import Answer, AnswerSource
from grader.judges.pipeline import grade_answer


def command(
    answer: Annotated[str, typer.Option(help="The text, @FILE, or - for standard input.")],
    question: Annotated[str | None, typer.Option(help="Id of a question of the bank.")] = None,
    rubric: Annotated[Path | None, typer.Option(help="A rubric file instead.")] = None,
    judge: Annotated[str, typer.Option(help="Who judges: offline.")] = OFFLINE,
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
    grade = asyncio.run(grade_answer(asked, given, chosen_judge(judge), draw_seed=draw_seed))
    if as_json:
        print(grade.model_dump_json(indent=2))
        return
    from rich.console import Console

    from grader.bank.draw import draw_question
    from grader.cli.card import print_card

    print_card(Console(highlight=False), draw_question(asked, draw_seed), given, grade)
