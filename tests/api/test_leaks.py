"""Learners never receive the rubric: on no route, in no event and in no error."""

import re

import pytest

from grader.domain.question import QuestionKind
from grader.domain.verdict import Outcome
from grader.store.records.tenancy import Role
from tests.api.operations import operations
from tests.api.test_rights import MAY

SECRET_FIELDS = {
    "accept",
    "reject",
    "terms",
    "numbers",
    "probe",
    "notes",
    "samples",
    "statement",
    "statements",
    "weight",
    "signals",
    "relations",
    "glossary",
    "model_answer",
    "canary",
    "content",
}
# Said of every id that is not there, whatever the question; one of its words is a term somewhere.
NOT_THERE = "check the id; it may belong to somebody else"
CODE = "class Nothing:\n    pass\n"


def public_of(question):
    """What a learner may see of a question, as one text."""
    hints = [hint.text for hint in question.hints]
    return " ".join([question.id, question.prompt, question.title, question.topic, *hints])


def secrets_of(question, public=""):
    """Every text of a rubric that a learner must not see, but what is public anyway."""
    texts = [question.notes, question.model_answer, question.canary]
    for signal in question.signals:
        texts += [signal.statement, signal.probe, *signal.accept, *signal.reject]
        texts += [term for group in signal.terms for term in group if telling(term)]
        texts += [f"{n.value} {n.unit}" for n in signal.numbers if telling(f"{n.value} {n.unit}")]
    texts += [sample.text for sample in question.samples]
    shown = public_of(question) + public
    return [text for text in texts if text.strip() and text.lower() not in shown.lower()]


def telling(term):
    """Whether a term is long enough to be no word that stands in any text."""
    return len(term) >= 10


def fields_of(value):
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from fields_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from fields_of(item)


def texts_of(value):
    """The texts of a reply; the names of its fields are those of every reply."""
    if isinstance(value, str):
        yield value
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from texts_of(item)


def demand_no_leak(reply, secrets, where):
    if "application/json" in reply.headers.get("content-type", ""):
        assert not SECRET_FIELDS & set(fields_of(reply.json())), where
        body = "\n".join(texts_of(reply.json()))
    else:
        body = reply.text.replace(NOT_THERE, "")
    flat = re.sub(r"\s+", " ", body).lower()
    for secret in secrets:
        assert re.sub(r"\s+", " ", secret).lower().strip() not in flat, (where, secret)


@pytest.fixture(scope="module")
def classroom(world):
    """A tenant with a learner, whose answers to every question of the bank are graded."""
    tenant = world.tenant("Classroom")
    tenant.person(Role.LEARNER)
    return tenant


def all_questions(world):
    return [file.question for file in world.service.catalogue.bank]


def allowed(op):
    return op.scopes is not None and set(op.scopes) <= MAY[Role.LEARNER]


def test_no_route_of_a_learner_says_a_word_of_any_rubric(world, classroom):
    learner = classroom.client("learner")
    everything = " ".join(public_of(question) for question in all_questions(world))
    in_lists = []
    for question in all_questions(world):
        secrets = secrets_of(question)
        in_lists += secrets_of(question, everything)
        assert len(secrets) >= 5, question.id
        attempt = learner.post("/v1/attempts", json={"question_id": question.id})
        coding = question.kind is QuestionKind.CODING
        given = {"code": CODE} if coding else {"text": "I do not know."}
        path = f"/v1/attempts/{attempt.json()['id']}"
        made = learner.post(f"{path}/submissions", json=given)
        assert made.status_code == 202, made.text
        world.grade(classroom.id, made.json()["id"], Outcome.NOT_MET)
        ids = {
            "question_id": question.id,
            "attempt_id": attempt.json()["id"],
            "submission_id": made.json()["id"],
            "job_id": made.json()["id"],
            "assignment_id": "asg_none",
        }
        demand_no_leak(attempt, secrets, question.id)
        demand_no_leak(made, secrets, question.id)
        for op in operations(world.app):
            # The follow-up that is asked is the probe: it has a test of its own.
            if (
                allowed(op)
                and "{" in op.path
                and not op.path.endswith((":finish", ":abandon", "/follow-ups"))
            ):
                demand_no_leak(op.call(learner, ids), secrets, (question.id, op.name))
    for op in operations(world.app):
        if allowed(op) and "{" not in op.path:
            demand_no_leak(op.call(learner, {}), in_lists, op.name)


def test_a_follow_up_shows_its_question_and_nothing_else_of_the_rubric(world, classroom):
    learner = classroom.client("learner")
    for question in all_questions(world):
        made = learner.post(
            "/v1/submissions", json={"question_id": question.id, "text": "No idea."}
        ).json()
        world.grade(classroom.id, made["id"], Outcome.NOT_MET)
        reply = learner.get(f"/v1/submissions/{made['id']}/follow-ups")
        asked = " ".join(item["text"] for item in reply.json()["items"])
        others = [s for s in secrets_of(question) if s not in asked]
        assert len(reply.json()["items"]) <= 2
        demand_no_leak(reply, others, question.id)


def test_errors_and_events_name_no_signal(world, classroom):
    learner = classroom.client("learner")
    question = world.service.catalogue.bank.get("attention-sinks")
    ids = [signal.id for signal in question.signals]
    made = learner.post(
        "/v1/submissions", json={"question_id": question.id, "text": "No idea."}
    ).json()
    world.grade(classroom.id, made["id"], Outcome.NOT_MET)
    path = f"/v1/submissions/{made['id']}"
    replies = [
        learner.get(path),
        learner.get(f"/v1/jobs/{made['id']}/history"),
        learner.post(f"{path}/contests", json={"signal_id": "no-such-signal", "text": "x"}),
        learner.post(f"{path}/contests", json={"signal_id": "s1", "text": "x"}),
        learner.get(f"{path}/contests"),
        learner.get(f"{path}/review"),
        learner.post(f"{path}/follow-ups", json={"id": "s99", "text": "x"}),
    ]
    for reply in replies:
        for signal_id in ids:
            assert signal_id not in reply.text, (reply.url, signal_id)


def test_the_review_opens_with_the_last_word_and_not_before(world, classroom):
    learner = classroom.client("learner")
    attempt = learner.post("/v1/attempts", json={"question_id": "attention-sinks"}).json()["id"]
    made = learner.post(f"/v1/attempts/{attempt}/submissions", json={"text": "No idea."}).json()
    world.grade(classroom.id, made["id"], Outcome.NOT_MET)
    path = f"/v1/submissions/{made['id']}/review"
    assert learner.get(path).json()["code"] == "not_released"
    assert learner.post(f"/v1/attempts/{attempt}:finish").status_code == 200
    review = learner.get(path).json()
    assert review["model_answer"]
    assert review["missed"][0]["statement"]
    named = learner.get(f"/v1/submissions/{made['id']}").json()["grade"]["verdicts"]
    assert named[0]["signal_id"] == review["missed"][0]["signal_id"]
