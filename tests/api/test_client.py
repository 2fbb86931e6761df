"""The typed client: checked against the document, and used against the service."""

import re
import uuid

import httpx
import pytest

from grader.client import ApiProblemError, GraderClient
from grader.domain.verdict import Outcome
from grader.errors import ErrorCode
from tests.api.operations import operations
from tests.api.world import ANSWER

QUESTION = "attention-sinks"
# What a program of a course has no use for, or a browser does: keys, webhooks, bills, uploads.
NOT_OFFERED = {
    "submit_spoken",
    "list_versions",
    "put_assignment",
    "archive_cohort",
    "remove_member",
    "withdraw_invitation",
    "disable_user",
    "erase_user",
    "list_keys",
    "create_key",
    "get_key",
    "rotate_key",
    "revoke_key",
    "list_webhooks",
    "add_webhook",
    "get_webhook",
    "remove_webhook",
    "rotate_webhook",
    "enable_webhook",
    "disable_webhook",
    "list_deliveries",
    "redeliver",
    "get_usage",
    "list_usage",
    "get_health",
    "get_metrics",
}
CALLS = {
    "submissions": {
        "create": {"question_id": QUESTION, "text": ANSWER},
        "create_batch": {"items": [{"question_id": QUESTION, "text": ANSWER}]},
        "get": {"submission_id": "a"},
        "list": {},
        "follow_ups": {"submission_id": "a"},
        "answer_follow_up": {"submission_id": "a", "follow_up": "s1", "text": "x"},
        "review": {"submission_id": "a"},
    },
    "jobs": {
        "get": {"job_id": "a"},
        "list": {},
        "cancel": {"job_id": "a"},
        "retry": {"job_id": "a"},
        "events": {"job_id": "a"},
        "history": {"job_id": "a"},
    },
    "questions": {"get": {"question_id": "a"}, "list": {}},
    "rubrics": {"get": {"question_id": "a"}, "put": {"content": {"id": "a"}, "seen": None}},
    "attempts": {
        "open": {"question_id": QUESTION},
        "get": {"attempt_id": "a"},
        "list": {},
        "save_draft": {"attempt_id": "a", "text": "x"},
        "draft": {"attempt_id": "a"},
        "hint": {"attempt_id": "a", "number": 1},
        "submit": {"attempt_id": "a", "text": "x"},
        "finish": {"attempt_id": "a"},
        "abandon": {"attempt_id": "a"},
    },
    "grades": {
        "history": {"submission_id": "a"},
        "regrade": {"submission_id": "a"},
        "override": {"submission_id": "a", "signal_id": "b", "outcome": "met", "reason": "x"},
        "overrides": {"submission_id": "a"},
        "withdraw": {"override_id": "a"},
    },
    "contests": {
        "create": {"submission_id": "a", "signal_id": "s1", "text": "x"},
        "of": {"submission_id": "a"},
        "list": {},
        "resolve": {"contest_id": "a", "upheld": True, "reply": "x"},
    },
    "users": {
        "create": {"name": "Ada", "roles": ["learner"]},
        "get": {"user_id": "a"},
        "list": {},
        "set_roles": {"user_id": "a", "roles": ["learner"]},
    },
    "cohorts": {
        "create": {"name": "x"},
        "list": {},
        "get": {"cohort_id": "a"},
        "members": {"cohort_id": "a"},
        "put_roster": {"cohort_id": "a", "csv": "external_id,name\n1,A\n"},
        "invite": {"cohort_id": "a"},
        "join": {"code": "inv_a"},
    },
    "assignments": {
        "create": {"cohort_id": "a", "title": "x", "question_ids": [QUESTION]},
        "get": {"assignment_id": "a"},
        "list": {},
    },
}


class Bridge(httpx.BaseTransport):
    """Carries the client's requests into the application, and keeps them."""

    def __init__(self, client):
        self._client = client
        self.sent = []

    def handle_request(self, request):
        self.sent.append(request)
        reply = self._client.request(
            request.method,
            request.url.raw_path.decode(),
            content=request.read(),
            headers=dict(request.headers),
        )
        return httpx.Response(reply.status_code, headers=dict(reply.headers), content=reply.content)


def connected(tenant, role="admin"):
    key = tenant.admin if role == "admin" else tenant.keys[role]
    bridge = Bridge(tenant.client(role))
    return GraderClient("http://localhost", key, transport=bridge), bridge


def test_every_method_sends_what_the_document_takes(world, tenant):
    client, bridge = connected(tenant)
    found = set()
    for noun, methods in CALLS.items():
        made = {m for m in dir(getattr(client, noun)) if m[0] != "_"}
        assert made == set(methods), noun
        for name, arguments in methods.items():
            bridge.sent.clear()
            try:
                result = getattr(getattr(client, noun), name)(**arguments)
                if not hasattr(result, "model_dump"):
                    next(iter(result), None)
            except ApiProblemError as error:
                # What is asked about is not there; the request itself must be one of the document.
                assert error.code in (
                    ErrorCode.NOT_FOUND,
                    ErrorCode.QUESTION_UNKNOWN,
                    ErrorCode.BAD_INPUT,
                    ErrorCode.FORBIDDEN,
                ), (noun, name, error)
            found.add(operation_of(world, bridge.sent[0]).spec["operationId"])
    client.capabilities()
    found |= {"get_capabilities", "get_readiness"}
    offered = {op.spec["operationId"] for op in operations(world.app)} - NOT_OFFERED
    assert found == offered


def operation_of(world, request):
    """The operation of the document that a request is one of."""
    for op in operations(world.app):
        pattern = re.sub(r"\\\{[^}]*\\\}", "[^/:]+", re.escape(op.path))
        if op.method.upper() == request.method and re.fullmatch(pattern, request.url.path):
            names = {p["name"] for p in op.spec.get("parameters", ()) if p["in"] == "query"}
            assert set(request.url.params) <= names, op.name
            takes_key = any(p["name"] == "Idempotency-Key" for p in op.spec.get("parameters", ()))
            assert ("idempotency-key" in request.headers) is takes_key, op.name
            return op
    raise AssertionError(f"the document has no {request.method} {request.url.path}")


def test_an_answer_is_handed_in_and_followed_to_its_grade(world, tenant):
    client, _ = connected(tenant)
    made = client.submissions.create(question_id=QUESTION, text=ANSWER, external_id="s1")
    world.grade(tenant.id, made.id, Outcome.MET)
    assert [event.kind for event in client.jobs.events(made.id)][-1] == "done"
    assert client.submissions.get(made.id, wait=5).grade.score > 0
    assert [s.id for s in client.submissions.list(external_id="s1")] == [made.id]


def test_lists_are_read_to_their_end(tenant):
    client, _ = connected(tenant)
    client.submissions.create_batch([{"question_id": QUESTION, "text": ANSWER}] * 60)
    assert len(list(client.submissions.list())) == 60


def test_a_refusal_is_told_with_its_stable_code(tenant):
    client, _ = connected(tenant)
    with pytest.raises(ApiProblemError) as caught:
        client.submissions.create(question_id="nobody-wrote-it", text="x")
    assert caught.value.code is ErrorCode.BAD_INPUT
    assert caught.value.problem.errors[0].pointer == "#/question_id"


class Flaky(httpx.BaseTransport):
    """Loses the first reply, is busy at the second request, answers the third."""

    def __init__(self):
        self.keys = []

    def handle_request(self, request):
        self.keys.append(request.headers.get("idempotency-key"))
        if len(self.keys) == 1:
            raise httpx.ReadError("lost", request=request)
        if len(self.keys) == 2:
            return httpx.Response(503, headers={"Retry-After": "0"})
        return httpx.Response(202, json={"id": "bat_1", "items": []})


def test_a_lost_reply_is_asked_for_again_under_the_same_key(monkeypatch):
    monkeypatch.setattr("grader.client.time.sleep", lambda _s: None)
    flaky = Flaky()
    client = GraderClient("http://localhost", "key", transport=flaky)
    assert client.submissions.create_batch([]).id == "bat_1"
    assert len(flaky.keys) == 3
    assert len(set(flaky.keys)) == 1
    uuid.UUID(flaky.keys[0])


def test_what_is_no_grader_is_said_to_be_none():
    page = httpx.MockTransport(lambda _request: httpx.Response(404, text="<html>"))
    client = GraderClient("http://localhost", "key", transport=page)
    with pytest.raises(ApiProblemError, match="answered 404"):
        client.questions.get("x")
