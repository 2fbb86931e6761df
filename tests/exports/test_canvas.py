"""A gradebook of Canvas, there and back."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.exports.canvas import GradebookError, fill_gradebook
from grader.exports.report import Report
from tests.exports.reports import NOTHING, OPEN

GRADEBOOK = """\
Student,ID,SIS User ID,SIS Login ID,Section,Warm-up (101),KV cache (202),Current Score
,,,,,,Manual Posting,
    Points Possible,,,,,5,20,(read only)
"Bauer, Anna",11,s-11,anna,"Mo, 10:00",4.5,,90
"O'Neil, ""Ben"" B.",12,s-12,ben,Mo,5,3,100
"=cmd, Cem",13,s-13,cem,Mo,,EX,
"Student, Test",99,,,Mo,,,
"""


def full(points):
    return Report(title="KV cache", low=points, high=points)


def rows_of(text, delimiter=","):
    file = io.StringIO(text.removeprefix("\ufeff"), newline="")
    return list(csv.reader(file, delimiter=delimiter))


def test_scores_go_into_their_column_scaled_and_nothing_else_changes():
    done = fill_gradebook(GRADEBOOK, "202", {"11": full(83.3), "s-12": full(100)})
    before, after = rows_of(GRADEBOOK), rows_of(done.text)
    assert after[:3] == before[:3]
    assert [row[6] for row in after[3:]] == ["16.66", "20", "EX", ""]
    assert [row[:6] + row[7:] for row in after] == [row[:6] + row[7:] for row in before]
    assert done.filled == ("11", "s-12")


def test_what_has_no_final_score_or_is_excused_stays_as_it_was():
    done = fill_gradebook(
        GRADEBOOK, "KV cache", {"11": OPEN, "ben": NOTHING, "13": full(10), "77": full(10)}
    )
    assert rows_of(done.text) == rows_of(GRADEBOOK)
    assert (done.not_graded, done.excused, done.unknown) == (("11", "ben"), ("13",), ("77",))


@pytest.mark.parametrize("wanted", ["KV cache (202)", "KV cache", "202"])
def test_a_column_is_known_by_header_title_or_number(wanted):
    assert fill_gradebook(GRADEBOOK, wanted, {"11": full(50)}).filled == ("11",)


def test_semicolons_line_ends_and_a_mark_of_the_encoding_stay():
    head = "LastName;FirstName;ID;Section;A (1)\r\n   Points Possible;;;;1.000,50\r\n"
    text = f"\ufeff{head}B;A;7;S;\r\n"
    done = fill_gradebook(text, "1", {"7": full(100)}).text
    assert done == text.replace("7;S;", "7;S;1000.5")


SPOILT = {
    "first row": ("Student,ID", "Name,Number"),
    "2 columns": ("Warm-up (101)", "KV cache (303)"),
    "0 columns": ("KV cache (202)", "Other (202x)"),
    "points possible": ("5,20,", "5,(read only),"),
    "cells": ("5,3,100", "5,3,100,1"),
}


@pytest.mark.parametrize("words", SPOILT)
def test_a_file_that_has_no_place_for_scores_is_refused_by_name(words):
    with pytest.raises(GradebookError, match=words):
        fill_gradebook(GRADEBOOK.replace(*SPOILT[words]), "KV cache", {"11": full(1)})


@pytest.mark.parametrize("text", ["", "\n", '"', "a;b"])
def test_what_is_no_gradebook_is_refused(text):
    with pytest.raises(GradebookError):
        fill_gradebook(text, "1", {})


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


@settings(deadline=None)
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_without_scores_every_cell_comes_back(people, newline):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=newline, quoting=csv.QUOTE_ALL)
    writer.writerow(["Student", "ID", "Section", "A, or B (1)"])
    writer.writerow(["    Points Possible", "", "", "10"])
    for number, (name, section) in enumerate(people):
        writer.writerow([f"x{name}", number, section, ""])
    done = fill_gradebook(out.getvalue(), "1", {})
    assert rows_of(done.text) == rows_of(out.getvalue())
