"""``grader bank coverage``."""

from typing import Annotated

import typer

from grader.bank.coverage import CURRICULUM_FILE, coverage, read_curriculum
from grader.bank.load import load_bank
from grader.cli.bank.options import BankOption, bank_folders


def command(
    missing: Annotated[bool, typer.Option("--missing", help="Only items without one.")] = False,
    bank: BankOption = None,
) -> None:
    """Print the items of the curriculum with the questions that cover them."""
    folders = bank_folders(bank)
    items = read_curriculum(folders[0] / CURRICULUM_FILE)
    covered = coverage(items, (file.question for file in load_bank(*folders)))
    for entry in covered:
        if not (missing and entry.questions):
            told = ", ".join(entry.questions) or "-"
            print(f"{entry.item.number:>4}  {entry.item.title}: {told}")
    count = sum(bool(entry.questions) for entry in covered)
    print(f"{count} of {len(covered)} items covered")
