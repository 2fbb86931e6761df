"""Handing in, and asking how it came out."""

import json

import pytest

from grader.store.records.tenancy import Role
from tests.api.world import ANSWER

PATH = "/v1/submissions"
GIVEN = {"question_id": "attention-sinks", "text": ANSWER}


def test_an_accepted_answer_has_an_address_that_tells_how_far_it_is(tenant):
    reply = tenant.client().post(PATH, json=GIVEN)
    assert reply.status_code == 202
    assert reply.headers["Location"] == f"{PATH}/{reply.json()['id']}"
    assert reply.headers["Retry-After"] == "1"
    seen = tenant.client().get(reply.headers["Location"])
    assert seen.json()["status"] == "queued"
    assert seen.json()["grade"] is None


def test_a_graded_answer_shows_score_range_and_verdicts(world, tenant):
    made = tenant.submit()
    world.grade(tenant.id, made["id"])
    grade = tenant.client().get(f"{PATH}/{made['id']}").json()["grade"]
    assert (grade["score"], grade["low"], grade["high"]) == (100.0, 100.0, 100.0)
    assert grade["verdicts"][0]["outcome"] == "met"
    assert grade["verdicts"][0]["evidence"] == [{"start": 0, "end": 7, "quote": "Softmax"}]


def test_a_rubric_of_ones_own_needs_the_right_to_write_rubrics(tenant):
    rubric = {
        "id": "p",
        "topic": "t",
        "prompt": "Why?",
        "signals": [{"id": "b", "statement": "Because.", "weight": 1, "kind": "positive"}],
    }
    given = {"rubric": rubric, "text": "Because."}
    assert tenant.client().post(PATH, json=given).status_code == 202
    writer = tenant.world.client(tenant.key(["submissions:write"]))
    assert writer.post(PATH, json=given).json()["code"] == "forbidden"


def test_a_faulty_rubric_is_refused_with_every_fault_and_its_place(tenant):
    rubric = {"id": "p", "topic": "t", "signals": [{"id": "b", "weight": 0, "kind": "positive"}]}
    reply = tenant.client().post(PATH, json={"rubric": rubric, "text": "x"})
    pointers = {fault["pointer"] for fault in reply.json()["errors"]}
    assert reply.status_code == 422
    assert {"#/rubric/prompt", "#/rubric/signals/0/statement"} <= pointers


def test_code_is_handed_in_by_the_name_of_its_exercise(tenant):
    given = {"exercise_id": "kv_cache", "code": "class KVCache:\n    pass\n"}
    reply = tenant.client().post(PATH, json=given)
    assert reply.status_code == 202
    assert reply.json()["kind"] == "code"
    assert reply.json()["question_id"] == "coding-kv-cache"


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"question_id": "nobody-wrote-it", "text": "x"}, "#/question_id"),
        ({"question_id": "attention-sinks", "text": 5}, "#/text"),
        ({"question_id": "attention-sinks"}, "#/text"),
        ({"question_id": "attention-sinks", "text": "x", "colour": "red"}, "#/colour"),
        ({"question_id": "attention-sinks", "text": "x", "judge": "nobody"}, "#/judge"),
        ({"question_id": "attention-sinks", "text": "x", "user_id": "usr_0"}, "#/user_id"),
        ({"question_id": "attention-sinks", "text": "x", "assignment_id": "a"}, "#/assignment_id"),
        ({"question_id": "attention-sinks", "text": "x", "parent_id": "sub_0"}, "#/parent_id"),
        ({"question_id": "attention-sinks", "text": "x" * 100_001}, "#/text"),
        ({"exercise_id": "kv_cache", "code": "\0"}, "#/code"),
        ({"exercise_id": "nothing", "code": "x = 1"}, "#/exercise_id"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_place(tenant, given, pointer):
    reply = tenant.client().post(PATH, json=given)
    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"
    assert pointer in [fault["pointer"] for fault in reply.json()["errors"]]


def test_characters_that_cannot_be_stored_are_replaced_one_for_one(tenant):
    body = json.dumps({"question_id": "attention-sinks", "text": "a\ud800b\0c"})
    reply = tenant.client().post(PATH, content=body, headers={"content-type": "application/json"})
    assert reply.json()["text"] == "a�b�c"
    assert reply.json()["text_repaired"] is True


def test_a_test_key_gets_the_offline_judge_and_costs_nothing(world, tenant):
    client = world.client(tenant.key(["admin"], test=True))
    made = client.post(PATH, json=GIVEN).json()
    assert made["test"] is True
    job = client.get(f"/v1/jobs/{made['id']}").json()
    assert job["judge"] == "offline"


def test_a_list_goes_by_its_own_cursor_and_repeats_nothing(tenant):
    made = {tenant.submit()["id"] for _ in range(5)}
    client, seen, cursor = tenant.client(), [], None
    while True:
        page = client.get(PATH, params={"limit": 2, **({"cursor": cursor} if cursor else {})})
        seen += [item["id"] for item in page.json()["items"]]
        cursor = page.json()["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == 5
    assert set(seen) == made


def test_an_unchanged_submission_is_not_sent_again(tenant):
    made = tenant.submit()
    client = tenant.client()
    first = client.get(f"{PATH}/{made['id']}")
    again = client.get(f"{PATH}/{made['id']}", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert again.content == b""


class TestBatches:
    """Many at once, all or none."""

    path = "/v1/submissions:batch"

    def test_each_gets_an_id_in_the_order_sent(self, tenant):
        items = [{**GIVEN, "external_id": f"student-{n}"} for n in range(3)]
        reply = tenant.client().post(self.path, json={"items": items})
        assert reply.status_code == 202
        names = [item["external_id"] for item in reply.json()["items"]]
        assert names == ["student-0", "student-1", "student-2"]
        listed = tenant.client().get(reply.headers["Location"]).json()["items"]
        assert {i["id"] for i in listed} == {i["id"] for i in reply.json()["items"]}

    @pytest.mark.parametrize("kind", ["application/x-ndjson", "application/jsonl"])
    def test_lines_are_taken_too(self, tenant, kind):
        body = "\n".join(json.dumps(GIVEN) for _ in range(2)) + "\n"
        reply = tenant.client().post(self.path, content=body, headers={"content-type": kind})
        assert len(reply.json()["items"]) == 2

    def test_one_faulty_item_refuses_all(self, tenant):
        items = [GIVEN, {"question_id": "attention-sinks"}, {"question_id": "no", "text": "x"}]
        reply = tenant.client().post(self.path, json={"items": items})
        assert reply.status_code == 422
        assert reply.json()["errors"][0]["pointer"].startswith("#/items/1")
        reply = tenant.client().post(self.path, json={"items": [GIVEN, items[2]]})
        assert reply.json()["errors"][0]["pointer"] == "#/items/1/question_id"
        assert tenant.client().get(PATH).json()["items"] == []

    @pytest.mark.parametrize("number", [0, 1001])
    def test_a_batch_has_1_to_1000_items(self, tenant, number):
        reply = tenant.client().post(self.path, json={"items": [GIVEN] * number})
        assert reply.status_code == 422

    def test_another_media_type_is_refused(self, tenant):
        reply = tenant.client().post(
            self.path, content=b"a,b", headers={"content-type": "text/csv"}
        )
        assert reply.json()["code"] == "media_type_unsupported"


class TestRepeatedRequests:
    """The same Idempotency-Key is one deed."""

    def test_the_same_request_is_done_once_and_answered_alike(self, tenant):
        client, headers = tenant.client(), {"Idempotency-Key": "one"}
        first = client.post(PATH, json=GIVEN, headers=headers)
        again = client.post(PATH, json=GIVEN, headers=headers)
        assert again.json() == first.json()
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.headers["Location"] == first.headers["Location"]
        assert len(client.get(PATH).json()["items"]) == 1

    def test_another_body_under_the_same_key_is_refused(self, tenant):
        client, headers = tenant.client(), {"Idempotency-Key": "one"}
        client.post(PATH, json=GIVEN, headers=headers)
        reply = client.post(PATH, json={**GIVEN, "text": "other"}, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (422, "idempotency_key_reused")

    def test_a_refused_request_leaves_its_key_free(self, tenant):
        client, headers = tenant.client(), {"Idempotency-Key": "one"}
        bad = {"question_id": "nobody-wrote-it", "text": "x"}
        assert client.post(PATH, json=bad, headers=headers).status_code == 422
        assert client.post(PATH, json=GIVEN, headers=headers).status_code == 202

    def test_the_same_key_of_two_tenants_is_two_keys(self, world):
        headers = {"Idempotency-Key": "one"}
        replies = [
            world.tenant(name).client().post(PATH, json=GIVEN, headers=headers)
            for name in ("a", "b")
        ]
        assert replies[0].json()["id"] != replies[1].json()["id"]

    def test_the_same_key_of_two_people_is_two_keys(self, tenant):
        for role in (Role.LEARNER, Role.GRADER):
            tenant.person(role)
        headers = {"Idempotency-Key": "one"}
        replies = [
            tenant.client(role).post(PATH, json=GIVEN, headers=headers).json()
            for role in ("learner", "grader")
        ]
        assert replies[0]["id"] != replies[1]["id"]
        assert replies[0]["user_id"] != replies[1]["user_id"]

    def test_a_batch_is_repeated_whole(self, tenant):
        client, headers = tenant.client(), {"Idempotency-Key": "b"}
        given = {"items": [GIVEN, GIVEN]}
        first = client.post("/v1/submissions:batch", json=given, headers=headers)
        again = client.post("/v1/submissions:batch", json=given, headers=headers)
        assert again.json() == first.json()
        assert len(client.get(PATH).json()["items"]) == 2


class TestQuota:
    """The row that all processes share is what the headers show."""

    def test_headers_tell_what_is_left(self, tenant):
        reply = tenant.client().post(PATH, json=GIVEN)
        assert reply.headers["RateLimit-Policy"] == '"submissions";q=20000'
        assert reply.headers["RateLimit"] == '"submissions";r=19999'

    def test_an_empty_quota_refuses_and_says_when_to_come_back(self, world, tenant):
        with world.database.writing() as unit:
            unit.of(tenant.id).quotas.define("submissions", capacity=2, per_second=0.1)
        client = tenant.client()
        assert [client.post(PATH, json=GIVEN).status_code for _ in range(2)] == [202, 202]
        reply = client.post(PATH, json=GIVEN)
        assert reply.status_code == 429
        assert 1 <= int(reply.headers["Retry-After"]) <= 11
        assert reply.headers["RateLimit"] == '"submissions";r=0'


class TestRecordings:
    """What a file is, is told by its content."""

    path = "/v1/submissions:spoken"
    wav = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(100)

    def post(self, tenant, data, name="answer.wav"):
        return tenant.client().post(
            self.path,
            data={"question_id": "attention-sinks"},
            files={"recording": (name, data, "audio/wav")},
        )

    def test_a_recording_is_taken(self, tenant):
        reply = self.post(tenant, self.wav)
        assert reply.status_code == 202
        assert reply.json()["kind"] == "speech"

    @pytest.mark.parametrize(
        "data", [b"", b"RIFF", b"PK\x03\x04" + bytes(200), b"<html>" + bytes(200), b"\xff" * 3]
    )
    def test_a_file_that_is_no_recording_is_refused_whatever_it_is_called(self, tenant, data):
        reply = self.post(tenant, data)
        assert (reply.status_code, reply.json()["code"]) == (415, "media_type_unsupported")

    def test_an_unknown_question_is_named(self, tenant):
        reply = tenant.client().post(
            self.path,
            data={"question_id": "nobody-wrote-it"},
            files={"recording": ("a.wav", self.wav, "audio/wav")},
        )
        assert reply.json()["errors"][0]["pointer"] == "#/question_id"
