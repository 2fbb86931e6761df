"""Gradescope's results.json."""

import json

import jsonschema
import pytest
from hypothesis import given, settings

from grader.exports.gradescope import Visibility, gradescope_json, gradescope_results
from tests.exports.reports import GRADED, NOTHING, OPEN, any_report, validated

SHAPE = "gradescope-results"


def scores_in(value):
    if isinstance(value, dict):
        yield from (v for k, v in value.items() if k == "score")
        for item in value.values():
            yield from scores_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from scores_in(item)


def test_a_graded_submission_has_its_score_and_its_tests():
    document = validated(gradescope_results(GRADED), SHAPE)
    assert (document["score"], document["execution_time"]) == (70, 1.5)
    assert document["stdout_visibility"] == "hidden"
    first, second = document["tests"]
    assert first == {
        "name": "BM1", "number": "1", "output": "passed", "visibility": "visible",
        "status": "passed", "score": 70, "max_score": 70,
    }  # fmt: skip
    assert (second["status"], second["score"], second["max_score"]) == ("failed", 0, 30)
    assert second["output"].endswith("assert m.free() == 3")


@pytest.mark.parametrize("report", [OPEN, NOTHING])
def test_what_is_not_graded_has_no_score_anywhere(report):
    document = validated(gradescope_results(report), SHAPE)
    assert list(scores_in(document)) == []
    assert document["output"].startswith("Not graded")
    assert document["extra_data"]["graded"] is False


def test_visibility_is_that_asked_for():
    document = validated(gradescope_results(GRADED, visibility=Visibility.AFTER_DUE_DATE), SHAPE)
    shown = [document["visibility"], *(t["visibility"] for t in document["tests"])]
    assert set(shown) == {"after_due_date"}


@settings(deadline=None)
@given(any_report())
def test_every_report_fits_the_published_shape(report):
    document = validated(json.loads(gradescope_json(report)), SHAPE)
    assert bool(list(scores_in(document))) == report.graded
    assert document.get("score") == report.score


@pytest.mark.parametrize(
    "wrong",
    [
        {"extra_data": {"graded": True}, "output": "no score"},
        {"extra_data": {"graded": False}, "output": "x", "score": 0},
        {"extra_data": {"graded": True}, "score": 1, "visibility": "sometimes"},
        {"extra_data": {"graded": True}, "score": 1, "tests": [{"status": "skipped"}]},
        {"extra_data": {"graded": True}, "score": 1, "unknown": 1},
    ],
)
def test_the_shape_refuses_what_gradescope_could_not_use(wrong):
    with pytest.raises(jsonschema.ValidationError):
        validated(wrong, SHAPE)
