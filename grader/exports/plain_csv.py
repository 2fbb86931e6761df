"""Grades as plain CSV (RFC 4180), one row a submission, safe to open in a spreadsheet.

A cell that a spreadsheet would take for a formula is led by an apostrophe, after "CSV Injection"
of OWASP (https://owasp.org/www-community/attacks/CSV_Injection). Cells that we compute are
numbers and need none.
"""

import csv
import io
import re
from collections.abc import Iterable

from grader.exports.report import Report, Standing, printable

COLUMNS = (
    *("name", "title", "status", "score", "low", "high"),
    *("passed", "partial", "failed", "not_graded", "remark"),
)
# Also after what some spreadsheet takes for the border of a cell, whatever our own delimiter is.
_FORMULA_START = re.compile(r"(?:^\s*|[;,|\t\n]\s*)(?=[=+\-@＝＋－＠])|^(?=['\t\n])")


def grades_csv(reports: Iterable[tuple[str, Report]]) -> str:
    """Rows of submissions, each under the name that its reader knows it by."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for name, report in reports:
        writer.writerow([formula_safe(cell) for cell in _cells(name, report)])
    return out.getvalue()


def formula_safe(cell: str) -> str:
    """The cell as a text that no spreadsheet computes; leading blanks hide no formula."""
    return _FORMULA_START.sub(_quoted, printable(cell))


def _quoted(start: re.Match[str]) -> str:
    """The apostrophe at the very front of a cell, and after a border inside one."""
    return f"'{start[0]}" if start.start() == 0 and start[0].isspace() else f"{start[0]}'"


def _cells(name: str, report: Report) -> list[str]:
    counts = [sum(p.standing is standing for p in report.parts) for standing in Standing]
    return [
        name,
        report.title,
        "graded" if report.graded else "not graded",
        *(_number(value) for value in (report.score, report.low, report.high)),
        *map(str, counts),
        "" if report.graded else report.headline,
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
