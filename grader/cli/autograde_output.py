"""Writing what ``grader autograde`` found, in the format that another program reads."""

import json
import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from grader.exports.github import classroom_output, classroom_results, step_summary
from grader.exports.gradescope import Visibility, gradescope_json
from grader.exports.junit import junit_xml
from grader.exports.plain_csv import grades_csv
from grader.exports.report import Report

GRADESCOPE_SUBMISSION = Path("/autograder/submission")
_GRADESCOPE_RESULTS = Path("/autograder/results/results.json")


class ResultsFormat(StrEnum):
    """Who reads the results file."""

    GRADESCOPE = "gradescope"
    GITHUB = "github"
    JUNIT = "junit"
    CSV = "csv"


_SUFFIX = {ResultsFormat.JUNIT: "xml", ResultsFormat.CSV: "csv"}


def default_out(results_format: ResultsFormat, folder: Path) -> Path:
    """Where Gradescope looks for results; elsewhere a file in the working folder."""
    if results_format is ResultsFormat.GRADESCOPE and folder == GRADESCOPE_SUBMISSION:
        return _GRADESCOPE_RESULTS
    return Path(f"grader-results.{_SUFFIX.get(results_format, 'json')}")


def results_text(
    report: Report, results_format: ResultsFormat, *, name: str, visibility: Visibility
) -> str:
    """The content of the results file.

    Args:
        report: Of the submission.
        results_format: Who reads it.
        name: What a row of CSV is called.
        visibility: When Gradescope shows it.
    """
    if results_format is ResultsFormat.GRADESCOPE:
        return gradescope_json(report, visibility=visibility)
    if results_format is ResultsFormat.GITHUB:
        return json.dumps(classroom_results(report), indent=2) + "\n"
    if results_format is ResultsFormat.JUNIT:
        return junit_xml(report)
    return grades_csv([(name, report)])


def replace_file(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", newline="")
    draft.replace(path)


def tell_github(report: Report, environment: Mapping[str, str]) -> None:
    """Adds to the step's summary and outputs, where the runner names files for them."""
    if summary := environment.get("GITHUB_STEP_SUMMARY"):
        _append(Path(summary), step_summary(report))
    if outputs := environment.get("GITHUB_OUTPUT"):
        _append(Path(outputs), f"result={classroom_output(report)}\n")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
