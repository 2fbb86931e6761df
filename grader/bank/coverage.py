"""Which items of the curriculum have a question."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.domain.question import Question
from grader.errors import InputError

CURRICULUM_FILE = "curriculum.tsv"


@dataclass(frozen=True)
class CurriculumItem:
    """One item of the curriculum.

    Attributes:
        number: Its number, as `source` of a question names it.
        title: What it is about.
        kinds: Ways to ask it: talk, calc, diagram, code.
    """

    number: int
    title: str
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class CoveredItem:
    """An item with the ids of the questions that cover it."""

    item: CurriculumItem
    questions: tuple[str, ...]


def read_curriculum(path: Path) -> list[CurriculumItem]:
    """Reads the table of a bank: tab-separated, with a header `number, title, kinds`.

    Raises:
        InputError: No such file, or a line without a number.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        return [
            CurriculumItem(int(r["number"]), r["title"], tuple(r["kinds"].split())) for r in rows
        ]
    except OSError as error:
        raise InputError(
            f"{path}: this bank has no curriculum", remedy=f"write {CURRICULUM_FILE}"
        ) from error
    except (KeyError, ValueError) as error:
        raise InputError(
            f"{path}: {error}", remedy="use the columns number, title, kinds"
        ) from error


def coverage(items: Iterable[CurriculumItem], questions: Iterable[Question]) -> list[CoveredItem]:
    """The items in their order, each with its questions in the order of the bank."""
    by_number: dict[int, list[str]] = {}
    for question in questions:
        for number in question.source:
            by_number.setdefault(number, []).append(question.id)
    return [CoveredItem(item, tuple(by_number.get(item.number, ()))) for item in items]
