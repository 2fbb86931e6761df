"""``grader bank import``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.bank.exchange.markdown import from_markdown
from grader.bank.exchange.spreadsheet import from_csv
from grader.bank.write import write_question
from grader.domain.question import Question
from grader.errors import InputError


def command(
    source: Annotated[Path, typer.Argument(help="A .csv file, a .md file, or a folder of them.")],
    folder: Annotated[Path, typer.Argument(help="Folder of the bank to write to.")],
) -> None:
    """Write the questions of a spreadsheet or of Markdown files as YAML, none over another."""
    questions = [q for path in _files(source) for q in _read(path)]
    written = [write_question(question, folder) for question in questions]
    for path in written:
        print(path)
    print(f"{len(written)} questions; now run: grader bank lint {folder}")


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    found = sorted(p for p in source.rglob("*") if p.suffix in (".csv", ".md"))
    if not found:
        raise InputError(f"no .csv or .md file at {source}", remedy="give a file or a folder")
    return found


def _read(path: Path) -> list[Question]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", remedy="give a UTF-8 file") from error
    return from_csv(text) if path.suffix == ".csv" else [from_markdown(text, str(path))]
