"""``grader bank list``."""

import json
from typing import Annotated

import typer

from grader.bank.load import load_bank
from grader.cli.bank.options import BankOption, bank_folders
from grader.domain.question import Question


def command(
    topic: Annotated[str, typer.Option(help="Only this topic.")] = "",
    kind: Annotated[str, typer.Option(help="Only this kind.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    bank: BankOption = None,
) -> None:
    """List the questions of the bank."""
    questions = [file.question for file in load_bank(*bank_folders(bank))]
    chosen = [q for q in questions if topic in ("", q.topic) and kind in ("", q.kind.value)]
    if as_json:
        for question in chosen:
            print(json.dumps(_row(question), ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("id", "topic", "kind", "min", "level", "title", box=None, pad_edge=False)
    for q in chosen:
        table.add_row(q.id, q.topic, q.kind.value, str(q.minutes), "•" * q.difficulty, q.title)
    Console().print(table)


def _row(question: Question) -> dict[str, object]:
    fields = {"id", "topic", "kind", "title", "minutes", "difficulty"}
    return question.model_dump(mode="json", include=fields)
