"""Grades: people over judges, grading again, contests, and rubrics version by version."""

import pytest

from grader.domain.verdict import Outcome
from grader.store.records.tenancy import Role
from tests.api.world import ANSWER

QUESTION = "attention-sinks"


@pytest.fixture
def graded(world):
    """A tenant with a learner whose answer was found wanting."""
    tenant = world.tenant()
    tenant.person(Role.LEARNER)
    made = tenant.submit("learner")
    world.grade(tenant.id, made["id"], Outcome.NOT_MET)
    tenant.ids["submission_id"] = made["id"]
    return tenant


def path_of(tenant, rest=""):
    return f"/v1/submissions/{tenant.ids['submission_id']}{rest}"


def grade_of(tenant, role="admin"):
    return tenant.client(role).get(path_of(tenant)).json()["grade"]


def overridden(tenant, outcome="met", signal=None):
    signal = signal or grade_of(tenant)["verdicts"][0]["signal_id"]
    given = {"signal_id": signal, "outcome": outcome, "reason": "It is said in other words."}
    return tenant.client().post(path_of(tenant, "/overrides"), json=given)


class TestOverrides:
    """A human verdict wins, needs a reason, and erases nothing."""

    def test_it_counts_at_once(self, graded):
        before = grade_of(graded)
        made = overridden(graded)
        assert made.status_code == 201
        after = grade_of(graded)
        assert after["score"] > before["score"] == 0
        assert after["overridden"] == [before["verdicts"][0]["signal_id"]]
        assert after["verdicts"][0]["judge"] == "human"

    def test_taken_back_it_no_longer_counts_and_stays_in_the_history(self, graded):
        made = overridden(graded).json()
        graded.client().delete(f"/v1/overrides/{made['id']}")
        assert grade_of(graded)["score"] == 0
        history = graded.client().get(path_of(graded, "/overrides")).json()["items"]
        assert [item["withdrawn_at"] is not None for item in history] == [True]

    def test_it_needs_a_reason_and_a_signal_of_the_question(self, graded):
        given = {"signal_id": "s", "outcome": "met"}
        assert graded.client().post(path_of(graded, "/overrides"), json=given).status_code == 422
        assert overridden(graded, signal="no-such-signal").status_code == 422


class TestContests:
    """A learner objects, somebody answers."""

    def test_an_objection_is_answered_once(self, graded):
        learner = graded.client("learner")
        given = {"signal_id": "s1", "text": "My first sentence says so."}
        made = learner.post(path_of(graded, "/contests"), json=given)
        assert made.status_code == 201
        assert made.json()["signal_id"] == "s1"
        assert learner.post(path_of(graded, "/contests"), json=given).status_code == 409
        answer = {"upheld": True, "reply": "So it does."}
        path = f"/v1/contests/{made.json()['id']}:resolve"
        assert graded.client().post(path, json=answer).json()["state"] == "upheld"
        assert graded.client().post(path, json=answer).status_code == 409
        seen = learner.get(path_of(graded, "/contests")).json()["items"]
        assert seen[0]["reply"] == "So it does."

    def test_staff_see_the_signals_own_name(self, graded):
        given = {"signal_id": "s1", "text": "My first sentence says so."}
        graded.client("learner").post(path_of(graded, "/contests"), json=given)
        listed = graded.client().get("/v1/contests", params={"state": "open"}).json()["items"]
        assert listed[0]["signal_id"] == grade_of(graded)["verdicts"][0]["signal_id"]


class TestRegrades:
    """Grading again, with what is now or what was."""

    def test_a_dry_run_keeps_its_grade_without_letting_it_count(self, world, graded):
        reply = graded.client().post(path_of(graded, ":regrade"), json={"dry_run": True})
        assert reply.status_code == 202
        assert reply.headers["Location"] == f"/v1/jobs/{reply.json()['id']}"
        world.grade(graded.id, graded.ids["submission_id"], job_id=reply.json()["id"])
        assert grade_of(graded)["score"] == 0
        history = graded.client().get(path_of(graded, "/grades")).json()["items"]
        assert len(history) == 2

    def test_a_regrade_counts_from_then_on(self, world, graded):
        reply = graded.client().post(path_of(graded, ":regrade"), json={})
        world.grade(graded.id, graded.ids["submission_id"], job_id=reply.json()["id"])
        assert grade_of(graded)["score"] > 0

    def test_an_unknown_version_is_named(self, graded):
        given = {"file_version": "sha256:00"}
        reply = graded.client().post(path_of(graded, ":regrade"), json=given)
        assert reply.json()["errors"][0]["pointer"] == "#/file_version"


class TestRubrics:
    """Version by version, nobody overwrites unseen."""

    def test_a_banks_question_is_made_ones_own(self, tenant):
        client, path = tenant.client(), f"/v1/rubrics/{QUESTION}"
        read = client.get(path)
        content = {**read.json()["content"], "title": "Our own title"}
        reply = client.put(path, json=content, headers={"If-Match": read.headers["ETag"]})
        assert reply.status_code == 201
        assert client.get(f"/v1/questions/{QUESTION}").json()["title"] == "Our own title"
        assert client.get(path).json()["own"] is True

    def test_a_write_names_the_version_it_has_seen(self, tenant):
        client, path = tenant.client(), f"/v1/rubrics/{QUESTION}"
        content = client.get(path).json()["content"]
        assert client.put(path, json=content).status_code == 428
        stale = client.put(path, json=content, headers={"If-Match": '"sha256:00"'})
        assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")

    def test_of_two_writers_the_second_must_read_again(self, tenant):
        client, path = tenant.client(), f"/v1/rubrics/{QUESTION}"
        read = client.get(path)
        seen = {"If-Match": read.headers["ETag"]}
        content = read.json()["content"]
        assert client.put(path, json={**content, "title": "One"}, headers=seen).status_code == 201
        second = client.put(path, json={**content, "title": "Two"}, headers=seen)
        assert second.status_code == 412

    def test_what_was_graded_before_stays_graded_by_what_it_was(self, world, tenant):
        made = tenant.submit()
        client, path = tenant.client(), f"/v1/rubrics/{QUESTION}"
        read = client.get(path)
        content = {**read.json()["content"], "prompt": "Another prompt altogether."}
        client.put(path, json=content, headers={"If-Match": read.headers["ETag"]})
        later = tenant.submit(text=ANSWER)
        assert later["rubric_version"] != made["rubric_version"]
        seen = client.get(f"/v1/submissions/{made['id']}").json()
        assert seen["rubric_version"] == made["rubric_version"]


def test_erasing_a_learner_takes_the_words_and_leaves_the_score(graded):
    reply = graded.client().delete(f"/v1/users/{graded.ids['learner_id']}")
    assert reply.status_code == 204
    listed = graded.client().get("/v1/submissions").json()["items"]
    assert ANSWER not in str(listed)


def test_usage_counts_each_grade_once(graded):
    usage = graded.client().get("/v1/usage").json()
    assert [(t["kind"], t["quantity"]) for t in usage["totals"]] == [("grade", 1)]
