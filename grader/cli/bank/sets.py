"""``grader bank sets``."""

from typing import Annotated

import typer

from grader.bank.interview_set import load_sets
from grader.bank.load import load_bank
from grader.bank.namespace import namespace_of
from grader.cli.bank.options import BankOption, bank_folders


def command(
    minutes: Annotated[int | None, typer.Option(help="Only sets of this length.")] = None,
    role: Annotated[str, typer.Option(help="Only sets for this role.")] = "",
    bank: BankOption = None,
) -> None:
    """List interview sets by length, role and level, with their questions."""
    folders = bank_folders(bank)
    titles = {f.question.id: f.question.title or f.question.id for f in load_bank(*folders)}
    for interview in (s for f in folders for s in load_sets(f, namespace_of(f))):
        if minutes in (None, interview.minutes) and role in ("", interview.role):
            about = f"{interview.minutes} min, {interview.role}, {interview.level}"
            print(f"{interview.id}: {interview.title} ({about})")
            for question_id in interview.questions:
                print(f"    {question_id}: {titles.get(question_id, 'not in the bank')}")
