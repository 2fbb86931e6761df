"""Cohorts, assignments and attempts: who is in, what is open, and what is shown when."""

from datetime import UTC, datetime, timedelta

import pytest

from grader.domain.verdict import Outcome
from grader.store.records.tenancy import Role
from tests.api.world import ANSWER

QUESTION = "attention-sinks"


def moment(**ago):
    return (datetime.now(UTC) + timedelta(**ago)).isoformat()


@pytest.fixture
def course(world):
    """A tenant with a learner in a cohort."""
    tenant = world.tenant()
    tenant.person(Role.LEARNER)
    cohort = tenant.client().post("/v1/cohorts", json={"name": "Autumn"}).json()["id"]
    with world.database.writing() as unit:
        unit.of(tenant.id).cohorts.put_member(cohort, tenant.ids["learner_id"])
    tenant.ids["cohort_id"] = cohort
    return tenant


def assigned(course, **fields):
    given = {"cohort_id": course.ids["cohort_id"], "title": "Week 1", "question_ids": [QUESTION]}
    reply = course.client().post("/v1/assignments", json={**given, **fields})
    assert reply.status_code == 201, reply.text
    return reply.json()["id"]


def opened(course, assignment=None):
    given = {"question_id": QUESTION, **({"assignment_id": assignment} if assignment else {})}
    return course.client("learner").post("/v1/attempts", json=given)


def handed_in(course, attempt, **fields):
    path = f"/v1/attempts/{attempt}/submissions"
    return course.client("learner").post(path, json={"text": ANSWER, **fields})


class TestCohorts:
    """Who is in."""

    def test_a_roster_adds_each_learner_once(self, tenant):
        client = tenant.client()
        cohort = client.post("/v1/cohorts", json={"name": "Autumn"}).json()["id"]
        roster = {"csv": "external_id,name,email\ns1,Ada,ada@example.org\ns2,Bo,\n"}
        path = f"/v1/cohorts/{cohort}/roster"
        assert client.post(path, json=roster).json() == {"added": 2, "known": 0}
        assert client.post(path, json=roster).json() == {"added": 0, "known": 2}
        members = client.get(f"/v1/cohorts/{cohort}/members").json()["items"]
        assert {m["external_id"] for m in members} == {"s1", "s2"}

    @pytest.mark.parametrize(
        "csv",
        [
            "name\nAda\n",
            "external_id,name,colour\ns1,Ada,red\n",
            "external_id,name\n",
            "external_id,name\n,Ada\n",
            "external_id,name\ns1,Ada,too,many\n",
            "external_id,name,email\ns1,Ada,no address\n",
            'external_id,name\n"s1,Ada\n',
        ],
    )
    def test_a_roster_that_cannot_be_used_adds_nobody(self, tenant, csv):
        client = tenant.client()
        cohort = client.post("/v1/cohorts", json={"name": "Autumn"}).json()["id"]
        reply = client.post(f"/v1/cohorts/{cohort}/roster", json={"csv": csv})
        assert (reply.status_code, reply.json()["errors"][0]["pointer"]) == (422, "#/csv")
        assert client.get(f"/v1/cohorts/{cohort}/members").json()["items"] == []

    def test_an_invitation_lets_people_in_until_it_is_withdrawn(self, tenant):
        tenant.person(Role.LEARNER)
        client = tenant.client()
        cohort = client.post("/v1/cohorts", json={"name": "Autumn"}).json()["id"]
        code = client.post(f"/v1/cohorts/{cohort}/invitation", json={}).json()["code"]
        joined = tenant.client("learner").post("/v1/cohorts:join", json={"code": code})
        assert joined.json()["id"] == cohort
        client.delete(f"/v1/cohorts/{cohort}/invitation")
        again = tenant.client("learner").post("/v1/cohorts:join", json={"code": code})
        assert again.status_code == 404


class TestAssignments:
    """What is open."""

    def test_learners_see_those_of_their_cohorts(self, course):
        seen = assigned(course)
        other = course.client().post("/v1/cohorts", json={"name": "Other"}).json()["id"]
        assigned(course, cohort_id=other)
        listed = course.client("learner").get("/v1/assignments").json()["items"]
        assert [item["id"] for item in listed] == [seen]

    def test_nothing_is_taken_before_it_opens(self, course):
        reply = opened(course, assigned(course, opens_at=moment(hours=1)))
        assert reply.json()["code"] == "conflict"

    def test_nothing_is_taken_after_it_was_due(self, course):
        assert opened(course, assigned(course, due_at=moment(hours=-1))).status_code == 409

    def test_late_answers_are_taken_where_the_assignment_says_so(self, course):
        late = assigned(course, due_at=moment(hours=-1), accept_late=True)
        assert opened(course, late).status_code == 201

    def test_no_more_attempts_than_are_allowed(self, course):
        assignment = assigned(course, attempts_allowed=1)
        assert opened(course, assignment).status_code == 201
        assert opened(course, assignment).status_code == 409

    def test_counted_attempts_cannot_be_gone_around(self, course):
        assignment = assigned(course, attempts_allowed=1)
        given = {"question_id": QUESTION, "text": "x", "assignment_id": assignment}
        assert course.client("learner").post("/v1/submissions", json=given).status_code == 409

    def test_an_attempt_of_an_assignment_takes_one_answer(self, course):
        attempt = opened(course, assigned(course)).json()["id"]
        assert handed_in(course, attempt).status_code == 202
        assert handed_in(course, attempt).status_code == 409

    def test_times_are_in_order(self, course):
        given = {
            "cohort_id": course.ids["cohort_id"],
            "title": "x",
            "question_ids": [QUESTION],
            "opens_at": moment(hours=2),
            "due_at": moment(hours=1),
        }
        assert course.client().post("/v1/assignments", json=given).status_code == 422


class TestFeedback:
    """What is shown, and when."""

    def graded(self, course, **fields):
        attempt = opened(course, assigned(course, **fields)).json()["id"]
        made = handed_in(course, attempt, final=True).json()["id"]
        course.world.grade(course.id, made, Outcome.NOT_MET)
        return made

    def seen(self, course, made, role="learner"):
        return course.client(role).get(f"/v1/submissions/{made}").json()

    def test_a_grade_is_held_back_until_its_release(self, course):
        release = moment(hours=1)
        made = self.graded(course, feedback="after_release", release_at=release)
        assert self.seen(course, made)["grade"] is None
        assert self.seen(course, made)["status"] == "done"
        assert self.seen(course, made, "admin")["grade"]["score"] == 0
        path = f"/v1/jobs/{made}/history"
        last = course.client("learner").get(path).json()["items"][-1]
        assert (last["kind"], last["data"]) == ("done", {})
        review = course.client("learner").get(f"/v1/submissions/{made}/review")
        assert review.json()["code"] == "not_released"

    def test_a_released_grade_is_shown(self, course):
        made = self.graded(course, feedback="after_release", release_at=moment(hours=-1))
        assert self.seen(course, made)["grade"]["score"] == 0

    def test_a_score_alone_comes_without_verdicts(self, course):
        grade = self.seen(course, self.graded(course, feedback="score"))["grade"]
        assert grade["verdicts"] == []

    def test_the_review_waits_until_no_attempt_is_left(self, course):
        made = self.graded(course, attempts_allowed=2)
        path = f"/v1/submissions/{made}/review"
        assert course.client("learner").get(path).status_code == 403
        made = self.graded(course, attempts_allowed=1)
        path = f"/v1/submissions/{made}/review"
        assert course.client("learner").get(path).status_code == 200


class TestAttempts:
    """Drafts, hints and the last word."""

    def test_a_draft_saved_elsewhere_in_between_is_not_overwritten(self, course):
        path = f"/v1/attempts/{opened(course).json()['id']}/draft"
        client = course.client("learner")
        assert client.get(path).json()["revision"] == 0
        first = client.put(path, json={"text": "one", "revision": 0})
        assert first.json()["revision"] == 1
        assert client.put(path, json={"text": "two", "revision": 0}).status_code == 409
        assert client.get(path).json()["text"] == "one"

    def test_a_hint_costs_once(self, course):
        attempt = opened(course).json()["id"]
        client = course.client("learner")
        for _ in range(2):
            hint = client.post(f"/v1/attempts/{attempt}/hints", json={"number": 1}).json()
        assert hint["text"]
        seen = client.get(f"/v1/attempts/{attempt}").json()
        assert (seen["hints_used"], seen["hints_cost"]) == ([1], hint["cost"])

    def test_a_hint_that_is_not_there_is_named(self, course):
        attempt = opened(course).json()["id"]
        reply = course.client("learner").post(f"/v1/attempts/{attempt}/hints", json={"number": 50})
        assert reply.json()["errors"][0]["pointer"] == "#/number"

    def test_nothing_more_is_taken_after_the_last_word(self, course):
        attempt = opened(course).json()["id"]
        assert handed_in(course, attempt, final=True).status_code == 202
        assert handed_in(course, attempt).status_code == 409
        path = f"/v1/attempts/{attempt}/draft"
        assert course.client("learner").put(path, json={"text": "x"}).status_code == 409

    def test_an_attempt_without_an_answer_cannot_be_finished(self, course):
        attempt = opened(course).json()["id"]
        client = course.client("learner")
        assert client.post(f"/v1/attempts/{attempt}:finish").status_code == 409
        assert client.post(f"/v1/attempts/{attempt}:abandon").json()["state"] == "abandoned"

    def test_code_is_refused_where_text_is_asked_for(self, course):
        attempt = opened(course).json()["id"]
        path = f"/v1/attempts/{attempt}/submissions"
        reply = course.client("learner").post(path, json={"code": "x = 1"})
        assert reply.json()["errors"][0]["pointer"] == "#/code"


class TestFollowUps:
    """What is asked next."""

    def test_an_answer_lifts_its_signal_by_one_step(self, course):
        made = course.submit("learner")["id"]
        course.world.grade(course.id, made, Outcome.NOT_MET)
        client, path = course.client("learner"), f"/v1/submissions/{made}/follow-ups"
        before = client.get(path).json()
        asked = before["items"][0]
        reply = client.post(path, json={"id": asked["id"], "text": "Because of softmax."})
        assert reply.status_code == 202
        course.world.grade(course.id, reply.json()["id"], Outcome.MET)
        after = client.get(path).json()
        assert after["score"] > before["score"]
        assert after["items"][0]["submission_id"] == reply.json()["id"]
        again = client.post(path, json={"id": asked["id"], "text": "More."})
        assert again.status_code == 409

    def test_nothing_is_asked_before_there_is_a_grade(self, course):
        made = course.submit("learner")["id"]
        reply = course.client("learner").get(f"/v1/submissions/{made}/follow-ups")
        assert reply.json()["items"] == []
