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
    # Ids are copied into other commands, so no column is ever cut.
    width = max((len(q.id) for q in chosen), default=0)
    topics = max((len(q.topic) for q in chosen), default=0)
    for q in chosen:
        facts = f"{q.topic:<{topics}}  {q.kind.value:<11}  {q.minutes:>2} min"
        print(f"{q.id:<{width}}  {facts}  {'•' * q.difficulty:<5}  {q.title}")


def _row(question: Question) -> dict[str, object]:
    fields = {"id", "topic", "kind", "title", "minutes", "difficulty"}
    return question.model_dump(mode="json", include=fields)
