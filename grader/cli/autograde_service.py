"""Grading through the API of a grader, for machines that cannot confine a submission."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ValidationError

from grader.errors import ExtraMissingError, FaultError, InputError
from grader.exercises.result import CheckResult, Reveal
from grader.exports.report import Report, report_of_code

if TYPE_CHECKING:
    from grader.api.schemas.submissions import SubmissionOut
    from grader.client import GraderClient

_MOST_WAIT_S = 60.0


class ServiceFaultError(FaultError):
    """The service gave no grade; nothing is said about the submission."""


@dataclass(frozen=True)
class Service:
    """A grader's API.

    Attributes:
        url: Of the service.
        key: An API key that may hand code in and read its grade.
    """

    url: str
    key: str = field(repr=False)


def service_of(environment: Mapping[str, str] | None = None) -> Service | None:
    """The service that ``GRADER_URL`` and ``GRADER_KEY`` name; None where neither is set.

    Raises:
        InputError: Only one of them is set.
    """
    env = os.environ if environment is None else environment
    url, key = env.get("GRADER_URL", "").strip(), env.get("GRADER_KEY", "").strip()
    if not url and not key:
        return None
    if not url or not key:
        missing = "GRADER_KEY" if url else "GRADER_URL"
        raise InputError(f"{missing} is not set", remedy="set GRADER_URL and GRADER_KEY, or none")
    return Service(url, key)


def graded_by_service(
    service: Service, exercise: str, source: bytes, *, reveal: Reveal, wait_s: float
) -> Report:
    """The report of a submission that the service grades.

    Args:
        service: Where to ask.
        exercise: As the service names it.
        source: The submission, UTF-8.
        reveal: The most that is shown; the service may show less.
        wait_s: Seconds to wait for the grade.

    Raises:
        ServiceFaultError: It cannot be reached, failed, or was not done in time.
        ApiProblemError: It refused.
        ExtraMissingError: The package that speaks HTTP is missing.
    """
    try:
        import httpx

        from grader.client import GraderClient
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"the package {error.name!r} is not installed (it speaks to GRADER_URL)",
            remedy=f"pip install {error.name}",
        ) from error
    started = time.monotonic()
    try:
        with GraderClient(service.url, service.key) as client:
            done = _done(client, exercise, source.decode(), deadline=started + wait_s)
    except httpx.HTTPError as error:
        raise ServiceFaultError(
            f"the service at {service.url} cannot be reached: {type(error).__name__}",
            remedy="look whether it runs and whether this machine may reach it",
        ) from error
    return _report(done, reveal, seconds=time.monotonic() - started)


def _done(client: "GraderClient", exercise: str, code: str, *, deadline: float) -> "SubmissionOut":
    """The submission once its job has ended."""
    made = client.submissions.create(exercise_id=exercise, code=code, wait=_left(deadline))
    while not made.status.is_final:
        if not _left(deadline):
            raise ServiceFaultError(
                f"the service has not finished submission {made.id} in time",
                remedy="wait longer with --wait, or start more sandbox workers",
            )
        made = client.submissions.get(made.id, wait=_left(deadline))
    return made


def _left(deadline: float) -> int:
    """Whole seconds of the next long poll."""
    return int(max(0.0, min(_MOST_WAIT_S, deadline - time.monotonic())))


def _report(done: "SubmissionOut", reveal: Reveal, *, seconds: float) -> Report:
    grade = done.grade
    if grade is None:
        held = f"its grade is held back until {done.grade_from}" if done.grade_from else ""
        raise ServiceFaultError(
            f"submission {done.id} is {done.status.value}: {done.cause or held or 'no grade'}",
            remedy="see the job on the service",
        )
    if grade.code is None:
        # The deployment shows the score alone.
        return Report(
            title=done.question_id,
            low=grade.low,
            high=grade.high,
            seconds=seconds,
            facts={"submission_id": done.id, "rubric_version": grade.rubric_version},
        )
    try:
        result = CheckResult.model_validate(grade.code)
    except ValidationError as error:
        raise ServiceFaultError(
            f"the result of submission {done.id} is not one that this version reads",
            remedy="install the version that the service runs",
        ) from error
    return report_of_code(result, reveal=reveal, seconds=seconds)
