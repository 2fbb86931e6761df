"""``grader bank show``."""

from typing import Annotated

import typer

from grader.bank.draw import draw_question
from grader.bank.load import find_question
from grader.bank.version import rubric_version
from grader.cli.bank.options import BankOption, bank_folders


def command(
    question_id: Annotated[str, typer.Argument(help="Id of the question.")],
    seed: Annotated[int | None, typer.Option(help="Seed of the drawn figures.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The whole question as JSON.")] = False,
    bank: BankOption = None,
) -> None:
    """Show one question with its rubric, as its author sees it."""
    stored = find_question(question_id, *bank_folders(bank))
    question = draw_question(stored, seed)
    if as_json:
        print(question.model_dump_json(by_alias=True, indent=2))
        return
    from rich.console import Console

    console = Console()
    console.print(f"[bold]{question.title or question.id}[/bold]  ({question.id})", highlight=False)
    console.print(f"{question.topic} · {question.kind.value} · {question.minutes} min", style="dim")
    console.print(f"\n{question.prompt}\n", markup=False, highlight=False)
    for signal in question.signals:
        sign = "+" if signal.kind.value == "positive" else "−"
        line = f"{sign}{signal.weight}  {signal.statement}  [{signal.id}]"
        console.print(line, markup=False, highlight=False)
    print(f"\nrubric version {rubric_version(stored)}")
