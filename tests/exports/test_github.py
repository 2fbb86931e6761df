"""The summary of a step and the results that Classroom reads."""

import base64
import json

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from grader.exports.github import (
    MOST_SUMMARY_BYTES,
    classroom_output,
    classroom_results,
    fenced,
    inline,
    step_summary,
)
from grader.exports.report import Part, Report, Standing, printable
from tests.exports.reports import GRADED, NASTY, NOTHING, OPEN, any_report, validated

SHAPE = "classroom-results"
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})


def test_the_summary_has_the_score_the_parts_and_what_fails():
    text = step_summary(GRADED)
    assert "**70 of 100 points**" in text
    assert "| BM1 | ✅ passed | 70 / 70 |" in text
    assert "| BM2 | ❌ failed | 0 / 30 |" in text
    assert "```\na case fails\nassert m.free() == 3\n```" in text


def test_the_summary_of_what_is_not_graded_says_so():
    assert "**Not graded\\: the service could not be reached**" in step_summary(NOTHING)
    assert "| BM2 | ⚪ not graded | – / 30 |" in step_summary(OPEN)


@settings(deadline=None)
@given(NASTY)
def test_inline_text_is_rendered_as_it_is(text):
    rendered = MARKDOWN.parseInline(inline(printable(text)))[0].children or []
    assert {token.type for token in rendered} <= {"text", "text_special"}
    assert "".join(token.content for token in rendered) == " ".join(printable(text).split())


@settings(deadline=None)
@given(NASTY)
def test_a_block_of_code_ends_where_we_end_it(text):
    tokens = MARKDOWN.parse(fenced(printable(text)) + "\nafter\n")
    assert [token.type for token in tokens] == [
        "fence", "paragraph_open", "inline", "paragraph_close",
    ]  # fmt: skip
    assert tokens[0].content == printable(text) + "\n"


def test_a_summary_fits_its_limit_and_leaves_nothing_open():
    parts = tuple(
        Part(name=f"p{n}", standing=Standing.FAILED, text="why\n" + "é" * 200_000) for n in range(5)
    )
    text = step_summary(Report(title="t", low=0, high=0, parts=parts))
    assert len(text.encode()) <= MOST_SUMMARY_BYTES
    assert "More was left out" in text
    assert text.count("<details>") == text.count("</details>") == 2


def posted(results):
    """What the reporter adds up, None where it posts nothing."""
    if not results["max_score"]:
        return None
    return sum(test["score"] for test in results["tests"]), results["max_score"]


def test_classroom_gets_the_points_of_each_part():
    results = validated(classroom_results(GRADED), SHAPE)
    assert (results["status"], posted(results)) == ("fail", (70, 100))
    assert [(t["name"], t["status"]) for t in results["tests"]] == [
        ("BM1", "pass"),
        ("BM2", "fail"),
    ]


@pytest.mark.parametrize("report", [OPEN, NOTHING])
def test_classroom_gets_no_points_of_what_is_not_graded(report):
    results = validated(classroom_results(report), SHAPE)
    assert (results["status"], posted(results)) == ("error", None)
    assert not any("score" in test for test in results["tests"])


@settings(deadline=None)
@given(any_report())
def test_every_report_fits_the_published_shape_and_adds_up(report):
    handed_on = classroom_output(report)
    assert "\n" not in handed_on
    results = validated(json.loads(base64.b64decode(handed_on)), SHAPE)
    assert posted(results) == ((report.score, 100) if report.graded else None)
