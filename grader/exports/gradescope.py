"""Gradescope's ``results.json``.

The shape is that of "Autograder Specifications", section "Output format"
(https://gradescope-autograders.readthedocs.io/en/latest/specs/), checked against
``docs/schemas/gradescope-results.schema.json``. A submission that is not graded gets a document
without any score: Gradescope takes no grade from it, where a 0 would be one.
"""

import json
from enum import StrEnum
from typing import Any

from grader.exports.report import Part, Report, Standing


class Visibility(StrEnum):
    """When a learner sees results, in Gradescope's words."""

    VISIBLE = "visible"
    HIDDEN = "hidden"
    AFTER_DUE_DATE = "after_due_date"
    AFTER_PUBLISHED = "after_published"


def gradescope_results(
    report: Report, *, visibility: Visibility = Visibility.VISIBLE
) -> dict[str, Any]:
    """The document as plain values.

    Args:
        report: Of the submission.
        visibility: Of the parts; the headline follows it.
    """
    document: dict[str, Any] = {
        "output": report.headline,
        "visibility": visibility.value,
        "stdout_visibility": Visibility.HIDDEN.value,
        "execution_time": round(report.seconds, 3),
        "extra_data": {"graded": report.graded, **report.facts},
    }
    if report.graded:
        document["score"] = report.score
    tests = [
        _test(number, part, visibility, scored=report.graded)
        for number, part in enumerate(report.parts, start=1)
    ]
    return {**document, "tests": tests} if tests else document


def gradescope_json(report: Report, *, visibility: Visibility = Visibility.VISIBLE) -> str:
    """The document as the text of ``results.json``."""
    return json.dumps(gradescope_results(report, visibility=visibility), indent=2) + "\n"


def _test(number: int, part: Part, visibility: Visibility, *, scored: bool) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": part.name,
        "number": str(number),
        "output": part.text or part.standing.value,
        "visibility": visibility.value,
    }
    if part.standing is not Standing.NOT_GRADED:
        test["status"] = "passed" if part.standing is Standing.PASSED else "failed"
    # Points of parts add up to a total of their own, so they stay out while anything is open.
    if scored and part.points is not None and part.most is not None:
        test |= {"score": part.points, "max_score": part.most}
    return test
