"""``grader autograde``: the entry for Gradescope, GitHub and other runners."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.autograde_output import (
    GRADESCOPE_SUBMISSION,
    ResultsFormat,
    default_out,
    replace_file,
    results_text,
    tell_github,
)
from grader.cli.autograde_service import graded_by_service, service_of
from grader.cli.autograde_submission import Submitted, submitted_in
from grader.cli.exits import ExitStatus, report_fault
from grader.cli.extras import needs_extra
from grader.cli.sandbox.check import backend_name
from grader.errors import ErrorCode, ExtraMissingError, FaultError, GraderError, InputError
from grader.exercises.result import Reveal
from grader.exports.gradescope import Visibility
from grader.exports.report import Report, report_not_graded, report_of_code
from grader.settings import Settings

_CUT_SHORT = "the grading was cut short; this is no fault of the submission"
_OUR_FAULT = "the grader failed; this is no fault of the submission"
_NOWHERE = "there is no sandbox here, and no grading service is set up"


class NowhereToGradeError(FaultError):
    """Neither a sandbox nor a service can be had."""

    code = ErrorCode.SANDBOX_UNAVAILABLE


def command(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the submission.")
    ] = GRADESCOPE_SUBMISSION,
    exercise: Annotated[
        str | None, typer.Option(help="Name of the exercise, or its folder.")
    ] = None,
    results_format: Annotated[
        ResultsFormat, typer.Option("--format", help="Who reads the results file.")
    ] = ResultsFormat.GRADESCOPE,
    out: Annotated[Path | None, typer.Option(help="The results file.")] = None,
    backend: Annotated[str | None, typer.Option(help="docker or bwrap.")] = None,
    reveal: Annotated[Reveal, typer.Option(help="How much is shown.")] = Reveal.COUNTEREXAMPLES,
    visibility: Annotated[
        Visibility, typer.Option(help="When Gradescope shows it.")
    ] = Visibility.VISIBLE,
    wait: Annotated[float, typer.Option(help="Most seconds to wait for the API.", min=1)] = 480,
) -> None:
    """Grade a submission and write a results file for another program.

    Grades here where a sandbox proves its limits, else through the API that GRADER_URL and
    GRADER_KEY name. What cannot be graded is written as not graded, without a score: status 3.
    """
    target = out or default_out(results_format, folder)

    def write(report: Report) -> None:
        name = folder.resolve().name
        replace_file(target, results_text(report, results_format, name=name, visibility=visibility))

    # A runner may kill us at its own limit: what lies there then must not be an older result.
    write(report_not_graded(exercise or "submission", _CUT_SHORT))
    report, status = outcome_of(folder, exercise, backend, reveal, wait)
    write(report)
    if results_format is ResultsFormat.GITHUB:
        tell_github(report, os.environ)
    print(f"{report.title}: {report.headline}; see {target}", file=sys.stderr)
    if status is not ExitStatus.GRADED:
        raise typer.Exit(status)


def outcome_of(
    folder: Path, exercise: str | None, backend: str | None, reveal: Reveal, wait_s: float
) -> tuple[Report, ExitStatus]:
    """What is told of the submission, and the exit status.

    A learner reads what is wrong with the submission in the words of the error. Those of other
    errors are for the instructor, who reads standard error: they may name machines.
    """
    title = exercise or "submission"
    try:
        submitted = submitted_in(folder, exercise)
    except InputError as error:
        print(f"grader: {error}", file=sys.stderr)
        return report_not_graded(title, str(error)), ExitStatus.BAD_INPUT
    title = submitted.exercise
    try:
        report = _graded(submitted, backend, reveal, wait_s)
    except GraderError as error:
        print(f"grader: {error}", file=sys.stderr)
        why = _NOWHERE if isinstance(error, NowhereToGradeError) else _OUR_FAULT
        bad_input = isinstance(error, InputError)
        status = ExitStatus.BAD_INPUT if bad_input else ExitStatus.FAULT
        return report_not_graded(title, why), status
    except Exception as error:
        report_fault("grader", error)
        return report_not_graded(title, _OUR_FAULT), ExitStatus.FAULT
    return report, ExitStatus.GRADED if report.graded else ExitStatus.FAULT


def _graded(submitted: Submitted, backend: str | None, reveal: Reveal, wait_s: float) -> Report:
    """The report from here, else from the service.

    Raises:
        NowhereToGradeError: Neither can be had.
        GraderError: What was tried failed.
    """
    problem: str
    if submitted.folder is None:
        problem = f"no bank of this machine has an exercise {submitted.exercise!r}"
    else:
        from_here = _graded_here(submitted.folder, submitted.source, backend, reveal)
        if isinstance(from_here, Report):
            return from_here
        problem = from_here
    service = service_of()
    if service is None:
        raise NowhereToGradeError(
            f"{_NOWHERE}: {problem}",
            remedy="install Docker or bubblewrap, or set GRADER_URL and GRADER_KEY",
        )
    print(f"grader: {problem}; asking {service.url}", file=sys.stderr)
    return graded_by_service(
        service, submitted.exercise, submitted.source, reveal=reveal, wait_s=wait_s
    )


def _graded_here(folder: Path, source: bytes, backend: str | None, reveal: Reveal) -> Report | str:
    """The report, or in words why nothing here can confine a submission."""
    started = time.monotonic()
    try:
        with needs_extra("sandbox", "it draws hidden tests and drives the sandbox"):
            from grader.exercises.checking import SandboxFaultError, check_submission
            from grader.exercises.exercise import load_exercise
    except ExtraMissingError as error:
        return str(error)
    # With less than the names it could not be told whether everything was assessed.
    asked = reveal if reveal is Reveal.COUNTEREXAMPLES else Reveal.NAMES
    try:
        result = check_submission(
            folder,
            source,
            secret=Settings.from_environment().secret_bytes(),
            backend=backend_name(backend),
            reveal=asked,
        )
    except SandboxFaultError as error:
        return str(error)
    title = load_exercise(folder).question.title
    return report_of_code(result, title=title, reveal=reveal, seconds=time.monotonic() - started)
