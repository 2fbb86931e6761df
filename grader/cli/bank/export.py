"""``grader bank export``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.bank.exchange.markdown import to_markdown
from grader.bank.exchange.spreadsheet import to_csv
from grader.bank.load import load_bank
from grader.cli.bank.options import BankOption, bank_folders
from grader.errors import InputError


def command(
    out: Annotated[Path, typer.Argument(help="A .csv file, or a folder for Markdown files.")],
    bank: BankOption = None,
) -> None:
    """Write the bank as one CSV, or as one Markdown file a question."""
    questions = [file.question for file in load_bank(*bank_folders(bank))]
    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise InputError(f"{out} already has content", remedy="give a new file or an empty folder")
    if out.suffix == ".csv":
        out.write_text(to_csv(questions), encoding="utf-8")
    else:
        out.mkdir(parents=True, exist_ok=True)
        for question in questions:
            name = question.id.replace(":", "_")
            (out / f"{name}.md").write_text(to_markdown(question), encoding="utf-8")
    print(f"{len(questions)} questions written to {out}")
