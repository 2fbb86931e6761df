"""Scores put into a gradebook that was downloaded from Canvas, to be uploaded again.

Canvas finds its way by the file's own header rows, so these and every cell that is not a score of
ours stay as they came. The shape is that of what Canvas itself reads
(https://github.com/instructure/canvas-lms, ``lib/gradebook_importer.rb``) and of "Gradebook Action
Menu" (https://ts.vcu.edu/askit/teaching-and-learning/canvas/faculty/grading-faculty/gradebook-action-menu-faculty/):
a header row that begins with ``Student`` and ``ID`` (or ``LastName``, ``FirstName``, ``ID``),
perhaps a row that names posting policies, a row of points possible in which computed columns say
``(read only)``, then students.
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.errors import InputError
from grader.exports.report import MOST_POINTS, Report

_BOM = "\ufeff"
_IDENTITY = ("ID", "SIS User ID", "SIS Login ID")
_EXCUSED = "EX"
_NUMBER = re.compile(r"\d[\d.,]*")
_POLICY = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)


class GradebookError(InputError):
    """The file is no gradebook of Canvas, or has no place for the scores."""


@dataclass(frozen=True)
class FilledGradebook:
    """A gradebook with scores in it.

    Attributes:
        text: The file to upload.
        filled: Names of the learners whose score was put in.
        not_graded: Names of those whose cell was left as it is, since they have no final score.
        excused: Names of those whom Canvas has excused; their cell was left as it is.
        unknown: Names that no row of the file bears.
    """

    text: str
    filled: tuple[str, ...]
    not_graded: tuple[str, ...]
    excused: tuple[str, ...]
    unknown: tuple[str, ...]


def fill_gradebook(
    downloaded: str, assignment: str, reports: Mapping[str, Report]
) -> FilledGradebook:
    """Puts the scores of one assignment in.

    Args:
        downloaded: The file as Canvas gave it.
        assignment: The column: its header, the title in it, or the number in its brackets.
        reports: By Canvas id, SIS user id or SIS login id of the learner.

    Raises:
        GradebookError: Naming what the file lacks.
    """
    table = _Table.of(downloaded)
    column = table.assignment(assignment)
    most = table.points_possible(column)
    fate: dict[str, list[str]] = {"filled": [], "not_graded": [], "excused": []}
    for row in table.students():
        name = table.name_in(row, reports)
        if name is None:
            continue
        score = reports[name].score
        if row[column].strip().upper() == _EXCUSED:
            fate["excused"].append(name)
        elif score is None:
            fate["not_graded"].append(name)
        else:
            row[column] = f"{score * most / MOST_POINTS:.2f}".rstrip("0").rstrip(".")
            fate["filled"].append(name)
    seen = {name for names in fate.values() for name in names}
    return FilledGradebook(
        text=table.text(),
        unknown=tuple(name for name in reports if name not in seen),
        **{word: tuple(names) for word, names in fate.items()},
    )


@dataclass(frozen=True)
class _Table:
    """The rows of a gradebook, and how its file was written."""

    rows: list[list[str]]
    delimiter: str
    newline: str
    bom: bool

    @classmethod
    def of(cls, text: str) -> "_Table":
        bare = text.removeprefix(_BOM)
        delimiter = _delimiter(bare)
        try:
            rows = list(csv.reader(io.StringIO(bare, newline=""), delimiter=delimiter, strict=True))
        except csv.Error as error:
            raise GradebookError(
                f"the gradebook is no CSV: {error}", remedy="export it from Canvas again"
            ) from error
        table = cls(
            rows=rows,
            delimiter=delimiter,
            newline="\r\n" if "\r\n" in bare else "\n",
            bom=text != bare,
        )
        table.demand_shape()
        return table

    @property
    def header(self) -> list[str]:
        return self.rows[0]

    def demand_shape(self) -> None:
        head = self.rows[0] if self.rows else []
        names = ("Student",) if head[:1] == ["Student"] else ("LastName", "FirstName")
        if tuple(head[: len(names) + 1]) != (*names, "ID"):
            raise GradebookError(
                f"the first row of the gradebook begins with {head[:3]}",
                remedy="export the gradebook from Canvas and change no header",
            )
        for number, row in enumerate(self.rows, start=1):
            if row and len(row) != len(head):
                raise GradebookError(
                    f"row {number} of the gradebook has {len(row)} cells, its header {len(head)}",
                    remedy="export it from Canvas again",
                )

    def assignment(self, wanted: str) -> int:
        found = [n for n, name in enumerate(self.header) if n > 1 and _names(name, wanted)]
        if len(found) != 1:
            raise GradebookError(
                f"{len(found)} columns of the gradebook are named {wanted!r}",
                remedy="give the number in the brackets of the column's header",
            )
        return found[0]

    def points_possible(self, column: int) -> float:
        cell = next((r[column] for r in self.rows[1:] if _is_points(r)), "").strip()
        if not _NUMBER.fullmatch(cell):
            raise GradebookError(
                f"the points possible of {self.header[column]!r} are {cell!r}",
                remedy="choose the column of an assignment that has points",
            )
        # As Canvas reads it: the last sign is the decimal one, those before part thousands.
        *whole, last = re.split("[.,]", cell)
        return float(f"{''.join(whole)}.{last}" if whole else last)

    def students(self) -> list[list[str]]:
        return [r for r in self.rows[1:] if r and not _is_points(r) and not _is_policy(r)]

    def name_in(self, row: list[str], names: Mapping[str, object]) -> str | None:
        columns = [self.header.index(c) for c in _IDENTITY if c in self.header]
        return next((row[c] for c in columns if row[c] and row[c] in names), None)

    def text(self) -> str:
        lines = (_line(row, self.delimiter) + self.newline for row in self.rows)
        return (_BOM if self.bom else "") + "".join(lines)


def _line(row: list[str], delimiter: str) -> str:
    """One row; a writer quotes only those line ends that are in its own, so it is given both."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerow(row)
    return out.getvalue().removesuffix("\r\n")


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return ";" if first.count(";") > first.count(",") else ","


def _names(header: str, wanted: str) -> bool:
    """Whether a header is ``Title (number)`` with that title, that number or both."""
    titled = re.fullmatch(r"(.*) \((\d+)\)", header, re.DOTALL)
    return wanted in ((header, titled[1], titled[2]) if titled else ())


def _is_points(row: list[str]) -> bool:
    return bool(row) and "Points Possible" in row[0]


def _is_policy(row: list[str]) -> bool:
    return all(_POLICY.fullmatch(cell) for cell in row)
