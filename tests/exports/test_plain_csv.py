"""Plain CSV."""

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.exports.plain_csv import COLUMNS, formula_safe, grades_csv
from tests.exports.reports import GRADED, NASTY, NOTHING, OPEN, any_report


def rows_of(text, delimiter=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_one_row_a_submission_and_no_score_where_none_is_final():
    header, *rows = rows_of(grades_csv([("anna", GRADED), ("ben", OPEN), ("cem", NOTHING)]))
    assert tuple(header) == COLUMNS
    assert rows[0] == [
        "anna", "Block manager", "graded", "70", "70", "70", "1", "0", "1", "0", "",
    ]  # fmt: skip
    assert rows[1][2:6] == ["not graded", "", "70", "100"]
    assert rows[2][2:6] == ["not graded", "", "", ""]
    assert rows[2][-1] == "Not graded: the service could not be reached"


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+49 30", "'+49 30"),
        ("-2", "'-2"),
        ("\t=1", "'\t=1"),
        ("  =1", "'  =1"),
        ("＝1", "'＝1"),
        ("x;=1", "x;'=1"),
        ("'quoted", "''quoted"),
        ("anna-lena", "anna-lena"),
        ("7.5", "7.5"),
    ],
)
def test_a_formula_becomes_text(cell, safe):
    assert formula_safe(cell) == safe


@settings(deadline=None)
@given(st.lists(st.tuples(NASTY, any_report()), max_size=3))
def test_no_cell_is_a_formula_whatever_delimiter_is_believed(rows):
    text = grades_csv(rows)
    assert [len(row) for row in rows_of(text)] == [len(COLUMNS)] * (len(rows) + 1)
    for delimiter in ",;\t":
        for row in rows_of(text, delimiter):
            for cell in row:
                assert not re.match(r"\s*[=+\-@]", cell.replace('"', "")), cell
