"""What happens to every request before its route, and to every error."""

import json

import pytest

from grader.api.app import create_app
from grader.api.door import API_PATHS
from grader.api.options import ApiOptions
from grader.api.problems import STATUS, TITLES
from grader.errors import ErrorCode
from tests.api.operations import operations
from tests.api.world import ANSWER, World

JSON = {"content-type": "application/json"}
GIVEN = {"question_id": "attention-sinks", "text": ANSWER}


def is_problem(reply, code):
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.json()
    assert body["code"] == code
    assert body["status"] == reply.status_code
    assert body["type"] == f"urn:grader:problem:{code}"
    assert body["request_id"] == reply.headers["X-Request-Id"]
    return True


def test_every_code_has_a_status_with_a_title():
    assert set(STATUS) == set(ErrorCode)
    assert set(STATUS.values()) <= set(TITLES)


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1/nothing", "/v1/submissions/a/b/c"])
def test_an_unknown_address_is_a_problem(world, path):
    assert is_problem(world.client().get(path), "not_found")


@pytest.mark.parametrize("path", ["/healthz/x", "/readyz/", "/metrics/x"])
def test_nothing_below_the_health_routes_is_a_page(world, path):
    assert is_problem(world.client().get(path), "not_found")


def test_a_method_that_an_address_does_not_take_is_told_with_those_it_does(world):
    reply = world.client().delete("/v1/submissions")
    assert is_problem(reply, "method_not_allowed")
    assert reply.headers["Allow"] == "GET, POST"


def test_no_route_of_the_api_answers_html(world, furnished):
    client = furnished.client()
    paths = {op.path for op in operations(world.app)} | set(API_PATHS)
    ids = furnished.ids
    for path in sorted(path.format(**ids) for path in paths):
        if path.endswith("/events"):
            continue
        reply = client.get(path, headers={"Accept": "text/html"})
        assert "html" not in reply.headers.get("content-type", ""), path


def test_a_request_id_of_the_client_is_kept_where_it_is_harmless(world):
    client = world.client()
    assert client.get("/healthz", headers={"X-Request-Id": "abc-1"}).headers["X-Request-Id"] == (
        "abc-1"
    )
    given = client.get("/healthz", headers={"X-Request-Id": "a b"}).headers["X-Request-Id"]
    assert given.startswith("req_")


def test_every_reply_carries_the_security_headers(world):
    for path in ("/healthz", "/v1/nothing"):
        headers = world.client().get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"


def test_no_other_origin_is_let_in_by_default(world):
    reply = world.client().get("/healthz", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in reply.headers


def test_a_page_of_another_origin_changes_nothing(tenant):
    reply = tenant.client().post(
        "/v1/submissions", json=GIVEN, headers={"Origin": "https://evil.example"}
    )
    assert is_problem(reply, "origin_refused")
    same = tenant.client().post(
        "/v1/submissions", json=GIVEN, headers={"Origin": "http://localhost"}
    )
    assert same.status_code == 202


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.x"])
def test_a_foreign_name_of_the_service_is_refused(world, host):
    assert is_problem(world.client().get("/healthz", headers={"Host": host}), "host_refused")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:80", "10.0.0.7:8000"])
def test_addresses_and_the_machines_own_names_are_let_in(world, host):
    assert world.client().get("/healthz", headers={"Host": host}).status_code == 200


class TestBodies:
    """Bodies that are no use answer 4xx with a problem, whatever they are."""

    path = "/v1/submissions"

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"\xff\xfe\x00",
            b'{"question_id": "a", "text": "\xff"}',
            b"[" * 100_000,
            b'{"a":' * 50_000,
            b'{"question_id": ' + b"9" * 5000 + b"}",
            b"null",
            b"[]",
            b'"x"',
            b"NaN",
            b"PK\x03\x04" + bytes(1000),
        ],
    )
    def test_malformed(self, tenant, body):
        reply = tenant.client().post(self.path, content=body, headers=JSON)
        assert reply.status_code in (400, 422)
        assert reply.headers["content-type"] == "application/problem+json"

    def test_a_hundred_thousand_unknown_fields_are_refused_in_a_short_reply(self, tenant):
        body = json.dumps({f"f{n}": 1 for n in range(60_000)}).encode()
        reply = tenant.client().post(self.path, content=body, headers=JSON)
        assert reply.status_code == 422
        assert len(reply.json()["errors"]) == 20

    def test_a_million_fields_are_too_large(self, tenant):
        body = json.dumps({f"f{n}": 1 for n in range(1_000_000)}).encode()
        reply = tenant.client().post(self.path, content=body, headers=JSON)
        assert is_problem(reply, "body_too_large")

    def test_a_body_without_a_length_is_cut_off_where_it_is_too_large(self, tenant):
        def endless():
            for _ in range(3):
                yield b" " * 600_000

        reply = tenant.client().post(self.path, content=endless(), headers=JSON)
        assert is_problem(reply, "body_too_large")

    def test_what_was_given_is_not_repeated_in_the_error(self, tenant):
        secret = "my answer in confidence"
        reply = tenant.client().post(self.path, json={"text": [secret], "question_id": "q"})
        assert reply.status_code == 422
        assert secret not in reply.text


def test_a_fault_of_ours_is_a_problem_without_a_word_of_its_cause(world, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("the learner wrote: secret")

    monkeypatch.setattr(type(world.service.catalogue), "questions", broken)
    reply = world.tenant().client().get("/v1/questions")
    assert reply.status_code == 500
    assert is_problem(reply, "internal")
    assert "secret" not in reply.text


def test_listed_origins_may_call(world):
    from dataclasses import replace

    service = replace(world.service, options=ApiOptions(cors_origins=("https://ok.example",)))
    from starlette.testclient import TestClient

    client = TestClient(create_app(service), base_url="http://localhost")
    reply = client.options(
        "/v1/submissions",
        headers={"Origin": "https://ok.example", "Access-Control-Request-Method": "POST"},
    )
    assert reply.headers["access-control-allow-origin"] == "https://ok.example"
    refused = client.get("/healthz", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in refused.headers


def test_bursts_of_one_key_are_told_to_wait(world, tenant):
    from dataclasses import replace

    from starlette.testclient import TestClient

    from grader.api.limits import Burst

    service = replace(world.service, burst=Burst(3))
    client = TestClient(
        create_app(service),
        base_url="http://localhost",
        headers={"Authorization": f"Bearer {tenant.admin}"},
    )
    replies = [client.get("/v1/questions?limit=1") for _ in range(8)]
    refused = [r for r in replies if r.status_code == 429]
    assert refused
    assert is_problem(refused[0], "rate_limited")
    assert refused[0].headers["Retry-After"] == "1"


def test_the_figures_are_for_this_machine_or_the_holder_of_the_token(world):
    from dataclasses import replace

    from starlette.testclient import TestClient

    service = replace(world.service, options=ApiOptions(metrics_key="token"))
    app = create_app(service)
    elsewhere = TestClient(app, base_url="http://localhost", client=("192.0.2.1", 1))
    assert elsewhere.get("/metrics").status_code == 401
    told = elsewhere.get("/metrics", headers={"Authorization": "Bearer token"})
    assert "grader_executors" in told.text
    assert "text/plain" in told.headers["content-type"]


def test_readiness_says_what_can_be_graded(world):
    body = world.client().get("/readyz").json()
    assert body["ready"] is True
    assert body["capabilities"]["answers"] is True
    assert body["capabilities"]["llm"] is False


def test_without_a_process_that_judges_it_is_not_ready(sqlite_file, tmp_path):
    import shutil

    from grader.store.database import Database

    shutil.copy(sqlite_file, tmp_path / "grader.db")
    world = World(Database(f"sqlite:///{tmp_path / 'grader.db'}"), tmp_path)
    with world.database.writing() as unit:
        unit.executors.bury("tests")
    reply = world.client().get("/readyz")
    assert reply.status_code == 503
    assert reply.json()["ready"] is False
    assert world.client().get("/healthz").status_code == 200
    world.service.engine.close()
