"""A typed client of the HTTP API.

    with GraderClient("http://localhost:8000", key) as grader:
        done = grader.submissions.create(question_id="paging", text="...", wait=30)
        print(done.grade.score)

Requests that change something carry an Idempotency-Key of their own where the API takes one, so
that they are repeated safely when a connection breaks or the service is busy.
"""

import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from grader.api.schemas.attempts import AttemptOut, DraftOut, HintOut
from grader.api.schemas.grades import (
    ContestOut,
    FollowUpsOut,
    GradeOut,
    OverrideOut,
    ReviewOut,
)
from grader.api.schemas.health import CapabilitiesOut, ReadinessOut
from grader.api.schemas.jobs import JobEventOut, JobOut
from grader.api.schemas.problems import Problem
from grader.api.schemas.questions import QuestionOut
from grader.api.schemas.rubrics import RubricOut
from grader.api.schemas.submissions import BatchOut, SubmissionOut
from grader.api.schemas.teaching import (
    AssignmentOut,
    CohortOut,
    InvitationOut,
    MemberOut,
    RosterOut,
    UserOut,
)
from grader.errors import ErrorCode, GraderError

ModelT = TypeVar("ModelT", bound=BaseModel)

_TRIES = 4
_BUSY = frozenset({429, 503})
_MOST_PAUSE_S = 30.0


class ApiProblemError(GraderError):
    """The API answered with a problem.

    Attributes:
        problem: As it was told; ``problem.code`` is stable.
        status: Of the reply.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail, remedy=problem.remedy)
        self.code = problem.code
        self.problem = problem
        self.status = problem.status


class GraderClient:
    """Talks to one service with one key.

    Args:
        url: Of the service, e.g. ``http://localhost:8000``.
        key: An API key.
        timeout_s: Seconds for one request, a wait not counted.
        transport: For tests.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout_s: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout_s,
            transport=transport,
            trust_env=False,
        )
        self.submissions = Submissions(self)
        self.jobs = Jobs(self)
        self.questions = Questions(self)
        self.rubrics = Rubrics(self)
        self.attempts = Attempts(self)
        self.grades = Grades(self)
        self.contests = Contests(self)
        self.users = Users(self)
        self.cohorts = Cohorts(self)
        self.assignments = Assignments(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def ready(self) -> ReadinessOut:
        """Whether jobs can run; does not raise where they cannot."""
        reply = self._http.get("/readyz")
        return ReadinessOut.model_validate_json(reply.content)

    def capabilities(self) -> CapabilitiesOut:
        """What can be graded there."""
        return self.call(CapabilitiesOut, "GET", "/v1/capabilities")

    def call(
        self,
        model: type[ModelT],
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        once: bool = False,
    ) -> ModelT:
        """Sends a request and reads its reply.

        Args:
            model: Of the reply.
            method: Of HTTP.
            path: With its ids filled in.
            body: Sent as JSON; what is None is left out.
            params: Of the query; what is None is left out.
            headers: Beside the key.
            once: Whether the route takes an Idempotency-Key.

        Raises:
            ApiProblemError: The API refused.
            httpx.TransportError: It could not be reached.
        """
        reply = self.request(method, path, body=body, params=params, headers=headers, once=once)
        return model.model_validate_json(reply.content)

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        once: bool = False,
    ) -> httpx.Response:
        """Sends a request, again where that is safe and may help."""
        sent = {**({"Idempotency-Key": str(uuid.uuid4())} if once else {}), **(headers or {})}
        query = _given(params or {})
        timeout = self._timeout_s + float(query.get("wait", 0))
        safe = once or method in ("GET", "PUT", "DELETE")
        for number in range(1, _TRIES + 1):
            last = number == _TRIES or not safe
            try:
                reply = self._http.request(
                    method,
                    path,
                    json=_given(body) if body is not None else None,
                    params=query,
                    headers=sent,
                    timeout=timeout,
                )
            except httpx.TransportError:
                if last:
                    raise
                time.sleep(0.2 * 2**number)
                continue
            if reply.status_code not in _BUSY or last:
                return _accepted(reply)
            time.sleep(_pause(reply, number))
        raise AssertionError("the last try returns or raises")

    def pages(
        self, model: type[ModelT], path: str, params: Mapping[str, Any] | None = None
    ) -> Iterator[ModelT]:
        """The items of a list, page by page."""
        cursor = None
        while True:
            reply = self.request("GET", path, params={**(params or {}), "cursor": cursor}).json()
            for item in reply["items"]:
                yield model.model_validate(item)
            cursor = reply["next_cursor"]
            if cursor is None:
                return

    def stream(self, path: str, after: int) -> Iterator[JobEventOut]:
        """The events of a stream, taken up again where it breaks off."""
        while True:
            seen = after
            try:
                for event in self._stream_once(path, after):
                    after = event.seq
                    yield event
            except httpx.TransportError:
                if after == seen:
                    raise
                continue
            return

    def _stream_once(self, path: str, after: int) -> Iterator[JobEventOut]:
        headers = {"Last-Event-ID": str(after), "Accept": "text/event-stream"}
        with self._http.stream("GET", path, headers=headers) as reply:
            if reply.status_code >= 400:
                reply.read()
                _accepted(reply)
            for line in reply.iter_lines():
                if line.startswith("data:"):
                    yield JobEventOut.model_validate_json(line.removeprefix("data:"))


class _Noun:
    def __init__(self, client: GraderClient) -> None:
        self._client = client


class Submissions(_Noun):
    """Handing in, and asking how it came out."""

    def create(
        self,
        *,
        text: str | None = None,
        question_id: str | None = None,
        rubric: Mapping[str, Any] | None = None,
        exercise_id: str | None = None,
        code: str | None = None,
        wait: float = 0,
        **fields: Any,
    ) -> SubmissionOut:
        """Hands in an answer (``question_id`` or ``rubric``, and ``text``), or code.

        Args:
            text: The answer.
            question_id: Of the bank.
            rubric: A question of one's own, in the rubric format.
            exercise_id: Of a coding exercise, with ``code``.
            code: The source.
            wait: Seconds to wait for the grade.
            fields: ``external_id``, ``labels``, ``assignment_id``, ``judge``, ``live``, ...
        """
        body = {
            "question_id": question_id,
            "rubric": rubric,
            "text": text,
            "exercise_id": exercise_id,
            "code": code,
            **fields,
        }
        return self._client.call(
            SubmissionOut,
            "POST",
            "/v1/submissions",
            body=body,
            params={"wait": wait or None},
            once=True,
        )

    def create_batch(self, items: Iterable[Mapping[str, Any]]) -> BatchOut:
        """Hands in up to 1,000, all or none."""
        body = {"items": [dict(item) for item in items]}
        return self._client.call(BatchOut, "POST", "/v1/submissions:batch", body=body, once=True)

    def get(self, submission_id: str, *, wait: float = 0) -> SubmissionOut:
        """One submission with its grade."""
        path = f"/v1/submissions/{submission_id}"
        return self._client.call(SubmissionOut, "GET", path, params={"wait": wait or None})

    def list(self, **filters: Any) -> Iterator[SubmissionOut]:
        """Submissions, latest first."""
        return self._client.pages(SubmissionOut, "/v1/submissions", filters)

    def follow_ups(self, submission_id: str) -> FollowUpsOut:
        """What is asked next."""
        path = f"/v1/submissions/{submission_id}/follow-ups"
        return self._client.call(FollowUpsOut, "GET", path)

    def answer_follow_up(self, submission_id: str, follow_up: str, text: str) -> SubmissionOut:
        """Answers a follow-up."""
        path = f"/v1/submissions/{submission_id}/follow-ups"
        body = {"id": follow_up, "text": text}
        return self._client.call(SubmissionOut, "POST", path, body=body, once=True)

    def review(self, submission_id: str) -> ReviewOut:
        """The model answer and what was missed, once it is open."""
        return self._client.call(ReviewOut, "GET", f"/v1/submissions/{submission_id}/review")


class Jobs(_Noun):
    """How far gradings have come."""

    def get(self, job_id: str, *, wait: float = 0) -> JobOut:
        """One job."""
        return self._client.call(JobOut, "GET", f"/v1/jobs/{job_id}", params={"wait": wait or None})

    def list(self, *, status: str | None = None) -> Iterator[JobOut]:
        """Jobs, latest first."""
        return self._client.pages(JobOut, "/v1/jobs", {"status": status})

    def cancel(self, job_id: str) -> JobOut:
        """Ends a job without a grade."""
        return self._client.call(JobOut, "POST", f"/v1/jobs/{job_id}:cancel")

    def retry(self, job_id: str) -> JobOut:
        """Queues a failed or cancelled job again."""
        return self._client.call(JobOut, "POST", f"/v1/jobs/{job_id}:retry")

    def events(self, job_id: str, *, after: int = 0) -> Iterator[JobEventOut]:
        """What happens to a job, to its end."""
        return self._client.stream(f"/v1/jobs/{job_id}/events", after)

    def history(self, job_id: str, *, after: int = 0) -> Iterator[JobEventOut]:
        """What has happened to a job so far."""
        return self._client.pages(JobEventOut, f"/v1/jobs/{job_id}/history", {"after": after})


class Questions(_Noun):
    """Questions as learners see them."""

    def get(self, question_id: str) -> QuestionOut:
        """One question."""
        return self._client.call(QuestionOut, "GET", f"/v1/questions/{question_id}")

    def list(self, *, kind: str | None = None, topic: str | None = None) -> Iterator[QuestionOut]:
        """All questions, by id."""
        return self._client.pages(QuestionOut, "/v1/questions", {"kind": kind, "topic": topic})


class Rubrics(_Noun):
    """Whole questions, for authors."""

    def get(self, question_id: str) -> RubricOut:
        """A whole question; its ``file_version`` is what a writer has seen."""
        return self._client.call(RubricOut, "GET", f"/v1/rubrics/{question_id}")

    def put(self, content: Mapping[str, Any], *, seen: str | None) -> RubricOut:
        """Writes a question; ``seen`` is the version that was read, None for a new one."""
        return self._client.call(
            RubricOut,
            "PUT",
            f"/v1/rubrics/{content['id']}",
            body=content,
            headers={"If-Match": f'"{seen}"' if seen else "*"},
        )


class Attempts(_Noun):
    """Goes of a learner at questions."""

    def open(self, question_id: str, **fields: Any) -> AttemptOut:
        """Opens the next attempt."""
        body = {"question_id": question_id, **fields}
        return self._client.call(AttemptOut, "POST", "/v1/attempts", body=body)

    def get(self, attempt_id: str) -> AttemptOut:
        """One attempt with its question and draft."""
        return self._client.call(AttemptOut, "GET", f"/v1/attempts/{attempt_id}")

    def list(self, **filters: Any) -> Iterator[AttemptOut]:
        """Attempts, latest first."""
        return self._client.pages(AttemptOut, "/v1/attempts", filters)

    def save_draft(self, attempt_id: str, text: str, *, revision: int | None = None) -> DraftOut:
        """Saves the text so far."""
        body = {"text": text, "revision": revision}
        return self._client.call(DraftOut, "PUT", f"/v1/attempts/{attempt_id}/draft", body=body)

    def draft(self, attempt_id: str) -> DraftOut:
        """The latest draft."""
        return self._client.call(DraftOut, "GET", f"/v1/attempts/{attempt_id}/draft")

    def hint(self, attempt_id: str, number: int) -> HintOut:
        """Buys a hint."""
        path = f"/v1/attempts/{attempt_id}/hints"
        return self._client.call(HintOut, "POST", path, body={"number": number})

    def submit(
        self,
        attempt_id: str,
        *,
        text: str | None = None,
        code: str | None = None,
        final: bool = False,
    ) -> SubmissionOut:
        """Hands in an answer or code."""
        path = f"/v1/attempts/{attempt_id}/submissions"
        body = {"text": text, "code": code, "final": final}
        return self._client.call(SubmissionOut, "POST", path, body=body, once=True)

    def finish(self, attempt_id: str) -> AttemptOut:
        """Hands in for good."""
        return self._client.call(AttemptOut, "POST", f"/v1/attempts/{attempt_id}:finish")

    def abandon(self, attempt_id: str) -> AttemptOut:
        """Ends an attempt without handing in."""
        return self._client.call(AttemptOut, "POST", f"/v1/attempts/{attempt_id}:abandon")


class Grades(_Noun):
    """Grades and the verdicts of people."""

    def history(self, submission_id: str) -> Iterator[GradeOut]:
        """Every grade of a submission, latest first."""
        return self._client.pages(GradeOut, f"/v1/submissions/{submission_id}/grades")

    def regrade(self, submission_id: str, **fields: Any) -> JobOut:
        """Grades again: ``file_version``, ``judge``, ``dry_run``."""
        path = f"/v1/submissions/{submission_id}:regrade"
        return self._client.call(JobOut, "POST", path, body=fields, once=True)

    def override(
        self, submission_id: str, signal_id: str, outcome: str, reason: str
    ) -> OverrideOut:
        """Puts a person's verdict over the judge's."""
        body = {"signal_id": signal_id, "outcome": outcome, "reason": reason}
        path = f"/v1/submissions/{submission_id}/overrides"
        return self._client.call(OverrideOut, "POST", path, body=body)

    def overrides(self, submission_id: str) -> Iterator[OverrideOut]:
        """The verdicts of people, withdrawn ones too."""
        return self._client.pages(OverrideOut, f"/v1/submissions/{submission_id}/overrides")

    def withdraw(self, override_id: str) -> OverrideOut:
        """Takes a person's verdict back."""
        return self._client.call(OverrideOut, "DELETE", f"/v1/overrides/{override_id}")


class Contests(_Noun):
    """Objections to verdicts."""

    def create(self, submission_id: str, signal_id: str, text: str) -> ContestOut:
        """Objects to a verdict."""
        body = {"signal_id": signal_id, "text": text}
        path = f"/v1/submissions/{submission_id}/contests"
        return self._client.call(ContestOut, "POST", path, body=body)

    def of(self, submission_id: str) -> Iterator[ContestOut]:
        """Objections to the verdicts of one submission."""
        return self._client.pages(ContestOut, f"/v1/submissions/{submission_id}/contests")

    def list(self, *, state: str | None = None) -> Iterator[ContestOut]:
        """Objections of all learners, latest first."""
        return self._client.pages(ContestOut, "/v1/contests", {"state": state})

    def resolve(self, contest_id: str, *, upheld: bool, reply: str) -> ContestOut:
        """Answers an objection."""
        body = {"upheld": upheld, "reply": reply}
        return self._client.call(
            ContestOut, "POST", f"/v1/contests/{contest_id}:resolve", body=body
        )


class Users(_Noun):
    """People."""

    def create(self, name: str, roles: Iterable[str], **fields: Any) -> UserOut:
        """Adds a person."""
        body = {"name": name, "roles": sorted(roles), **fields}
        return self._client.call(UserOut, "POST", "/v1/users", body=body)

    def get(self, user_id: str) -> UserOut:
        """One person."""
        return self._client.call(UserOut, "GET", f"/v1/users/{user_id}")

    def list(self) -> Iterator[UserOut]:
        """People, latest first."""
        return self._client.pages(UserOut, "/v1/users")

    def set_roles(self, user_id: str, roles: Iterable[str]) -> UserOut:
        """Gives a person exactly these roles."""
        path = f"/v1/users/{user_id}/roles"
        return self._client.call(UserOut, "PUT", path, body={"roles": sorted(roles)})


class Cohorts(_Noun):
    """Groups of learners."""

    def create(self, name: str) -> CohortOut:
        """Adds a cohort."""
        return self._client.call(CohortOut, "POST", "/v1/cohorts", body={"name": name})

    def list(self) -> Iterator[CohortOut]:
        """Cohorts, latest first."""
        return self._client.pages(CohortOut, "/v1/cohorts")

    def get(self, cohort_id: str) -> CohortOut:
        """One cohort."""
        return self._client.call(CohortOut, "GET", f"/v1/cohorts/{cohort_id}")

    def members(self, cohort_id: str) -> Iterator[MemberOut]:
        """Members, latest first."""
        return self._client.pages(MemberOut, f"/v1/cohorts/{cohort_id}/members")

    def put_roster(self, cohort_id: str, csv: str) -> RosterOut:
        """Puts the learners of a CSV roster in."""
        path = f"/v1/cohorts/{cohort_id}/roster"
        return self._client.call(RosterOut, "POST", path, body={"csv": csv})

    def invite(self, cohort_id: str, *, days: int = 14) -> InvitationOut:
        """Opens an invitation."""
        path = f"/v1/cohorts/{cohort_id}/invitation"
        return self._client.call(InvitationOut, "POST", path, body={"days": days})

    def join(self, code: str) -> CohortOut:
        """Enters a cohort by its invitation."""
        return self._client.call(CohortOut, "POST", "/v1/cohorts:join", body={"code": code})


class Assignments(_Noun):
    """What is set to cohorts."""

    def create(
        self, cohort_id: str, title: str, question_ids: Iterable[str], **fields: Any
    ) -> AssignmentOut:
        """Sets questions to a cohort; times are aware datetimes."""
        body = {
            "cohort_id": cohort_id,
            "title": title,
            "question_ids": list(question_ids),
            **fields,
        }
        return self._client.call(AssignmentOut, "POST", "/v1/assignments", body=body)

    def get(self, assignment_id: str) -> AssignmentOut:
        """One assignment."""
        return self._client.call(AssignmentOut, "GET", f"/v1/assignments/{assignment_id}")

    def list(self, *, cohort_id: str | None = None) -> Iterator[AssignmentOut]:
        """Assignments, latest first."""
        return self._client.pages(AssignmentOut, "/v1/assignments", {"cohort_id": cohort_id})


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What is not None, with times as the API reads them."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in fields.items()
        if value is not None
    }


def _accepted(reply: httpx.Response) -> httpx.Response:
    if reply.status_code < 400:
        return reply
    try:
        problem = Problem.model_validate_json(reply.content)
    except ValidationError:
        # Something between here and the service answered in its stead.
        problem = Problem(
            type="about:blank",
            title="no problem document",
            status=reply.status_code,
            code=ErrorCode.INTERNAL,
            detail=f"{reply.request.url.path} answered {reply.status_code}",
            remedy="look whether the address is that of a grader",
        )
    raise ApiProblemError(problem)


def _pause(reply: httpx.Response, number: int) -> float:
    told = reply.headers.get("Retry-After", "")
    return min(float(told), _MOST_PAUSE_S) if told.isdecimal() else 0.2 * 2**number
