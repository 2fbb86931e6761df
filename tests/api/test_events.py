"""Server-sent events: from the beginning, and from where a client lost the stream."""

import json
import threading

from tests.api.world import ANSWER


def events_of(text):
    """The events of a stream: id, kind and data."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in lines:
            found.append((lines["id"], lines["event"], json.loads(lines["data"])))
    return found


def graded(world, tenant, role="admin", **fields):
    made = tenant.submit(role, **fields)
    world.grade(tenant.id, made["id"])
    return made["id"]


def test_a_finished_job_tells_everything_and_ends_the_stream(world, tenant):
    job = graded(world, tenant)
    reply = tenant.client().get(f"/v1/jobs/{job}/events")
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = events_of(reply.text)
    assert [kind for _, kind, _ in events] == ["queued", "running", "stage", "done"]
    assert [int(number) for number, _, _ in events] == [1, 2, 3, 4]
    assert events[-1][2]["data"]["score"] > 0


def test_a_lost_stream_goes_on_after_the_last_event_that_was_read(world, tenant):
    job = graded(world, tenant)
    reply = tenant.client().get(f"/v1/jobs/{job}/events", headers={"Last-Event-ID": "2"})
    assert [int(number) for number, _, _ in events_of(reply.text)] == [3, 4]


def test_a_stream_after_the_last_event_ends_at_once(world, tenant):
    job = graded(world, tenant)
    reply = tenant.client().get(f"/v1/jobs/{job}/history", params={"after": 4})
    assert reply.json()["items"] == []


def test_a_running_job_is_followed_to_its_end(world, tenant):
    made = tenant.submit()
    later = threading.Thread(target=world.grade, args=(tenant.id, made["id"]))
    kinds = []
    later.start()
    kinds = [
        kind for _, kind, _ in events_of(tenant.client().get(f"/v1/jobs/{made['id']}/events").text)
    ]
    later.join()
    assert kinds == ["queued", "running", "stage", "done"]


def test_no_event_holds_a_word_of_the_answer(world, tenant):
    job = graded(world, tenant)
    text = tenant.client().get(f"/v1/jobs/{job}/events").text
    assert not any(word in text for word in ANSWER.split() if len(word) > 4)


def test_a_wait_ends_with_the_job(world, tenant):
    made = tenant.submit()
    later = threading.Thread(target=world.grade, args=(tenant.id, made["id"]))
    later.start()
    reply = tenant.client().get(f"/v1/submissions/{made['id']}", params={"wait": 30})
    later.join()
    assert reply.json()["status"] == "done"
    assert reply.json()["grade"]["score"] > 0


def test_a_wait_that_is_over_answers_as_it_is(tenant):
    made = tenant.submit()
    reply = tenant.client().get(f"/v1/submissions/{made['id']}", params={"wait": 0.1})
    assert reply.json()["status"] == "queued"
    assert reply.headers["Retry-After"] == "1"


def test_a_cancelled_job_is_over_and_may_be_queued_again(world, tenant):
    made = tenant.submit()
    client = tenant.client()
    assert client.post(f"/v1/jobs/{made['id']}:cancel").json()["status"] == "cancelled"
    assert client.get(f"/v1/submissions/{made['id']}").json()["status"] == "cancelled"
    reply = client.post(f"/v1/jobs/{made['id']}:retry")
    assert (reply.status_code, reply.json()["status"]) == (202, "queued")
    assert client.post(f"/v1/jobs/{made['id']}:retry").json()["code"] == "conflict"


def test_an_unchanged_job_is_not_sent_again(tenant):
    path = f"/v1/jobs/{tenant.submit()['id']}"
    tag = tenant.client().get(path).headers["ETag"]
    assert tenant.client().get(path, headers={"If-None-Match": tag}).status_code == 304
