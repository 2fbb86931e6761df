"""A tenant sees, changes and refers to nothing but its own, through any method there is."""

import inspect
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from grader.domain.verdict import Outcome
from grader.errors import GraderError
from grader.store.keys import make_key
from grader.store.records.grading import Claim
from grader.store.records.tenancy import Role
from grader.store.records.work import NewSubmission, SubmissionKind
from grader.store.tables import metadata
from grader.store.unit import TenantStore
from tests.store import makers

PEPPER = b"p" * 32
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def ours(database):
    """Ids of one object of each kind of one tenant, by the names that parameters have."""
    tenant_id = makers.tenant(database, "Ours")
    with database.writing() as unit:
        store = unit.of(tenant_id)
        user = store.users.add("A", roles=[Role.LEARNER], email="a@x.y", external_id="1")
        cohort = store.cohorts.add("Spring")
        store.cohorts.put_member(cohort.id, user.id, "1")
        store.cohorts.invite(cohort.id, "f" * 64, NOW + timedelta(days=3650))
        assignment = store.assignments.add(cohort.id, "Week 1", ["paging"])
        key = store.api_keys.add(make_key(PEPPER), name="k", scopes=["grades:read"])
        attempt = store.attempts.open("paging", user_id=user.id, assignment_id=assignment.id)
        store.attempts.save_draft(attempt.id, "draft")
        take = store.attempts.add_take(attempt.id, audio_blob=None, seconds=1.0)
        rubric = store.rubrics.write(makers.question(), expected=None)
        submission = makers.submission(store, user_id=user.id, attempt_id=attempt.id)
        makers.submission(store, parent_id=submission.id, batch_id="b")
        job = makers.job(store, submission)
        override = store.overrides.add(submission.id, "blocks", Outcome.MET, "why", user.id)
        contest = store.contests.add(submission.id, "blocks", "no")
        webhook = store.webhooks.add("https://x.example", "whsec_a", ["submission.graded"])
        (delivery,) = store.deliveries.publish("submission.graded", {}, job_id=job.id)
        store.usage.bill(job.id, "grade", 1)
        store.quotas.define("name", capacity=5, per_second=0.001)
        store.idempotency.begin("route", "key", "h")
        blob = store.blobs.add("a" * 64, 1, "x/x", "audio")
    executor = makers.executor(database)
    with database.writing() as unit:
        jobs = unit.of(tenant_id).jobs
        claim = jobs.claim(job.id, executor)
        jobs.record(claim, makers.grade())
        recorded = jobs.get(job.id)
    return {
        "tenant_id": tenant_id,
        "user_id": user.id,
        "author_id": user.id,
        "user_ids": [user.id],
        "cohort_id": cohort.id,
        "assignment_id": assignment.id,
        "key_id": key.id,
        "attempt_id": attempt.id,
        "take_id": take.id,
        "file_version": rubric.file_version,
        "submission_id": submission.id,
        "parent_id": submission.id,
        "job_id": job.id,
        "claim": claim,
        "job": recorded,
        "of_executor": executor,
        "override_id": override.id,
        "contest_id": contest.id,
        "webhook_id": webhook.id,
        "delivery_id": delivery.id,
        "sha256": blob.sha256,
        "invitation_hash": "f" * 64,
        "question_id": "paging",
        "batch_id": "b",
    }


def arguments(method, ours, rival_id):
    """A value for each parameter: our ids wherever one fits, else something harmless."""
    new = NewSubmission(
        kind=SubmissionKind.TEXT,
        question_id="paging",
        file_version=ours["file_version"],
        rubric_version="sha256:0",
        user_id=ours["user_id"],
    )
    claim = ours["claim"]
    plain = {
        "name": "name",
        "title": "t",
        "text": "t",
        "reason": "r",
        "reply": "r",
        "key": make_key(PEPPER),
        "email": "a@x.y",
        "external_id": "1",
        "roles": [Role.ADMIN],
        "scopes": [],
        "question_ids": [],
        "expires_at": NOW,
        "expected": ours["file_version"],
        "question": makers.question(weight=9),
        "new": new,
        "claim": Claim(claim.job_id, rival_id, claim.executor_id, claim.epoch),
        "grade": makers.grade(),
        "executor_id": ours["of_executor"],
        "signal_id": "blocks",
        "outcome": Outcome.MET,
        "overlap": timedelta(days=1),
        "start": NOW - timedelta(days=3650),
        "end": NOW + timedelta(days=3650),
        "limit": 50,
        "audio_blob": ours["sha256"],
        "code_result": None,
    }
    spare = {
        "str": "x",
        "int": 1,
        "int | None": 1,
        "float": 1.0,
        "bool": True,
        "Mapping": {},
        "Iterable": [],
    }
    given = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if name in ours and name != "claim":
            given[name] = ours[name]
        elif name in plain:
            given[name] = plain[name]
        elif parameter.kind is not parameter.VAR_KEYWORD and parameter.default is parameter.empty:
            kind = str(getattr(parameter.annotation, "__name__", parameter.annotation))
            given[name] = spare[kind.split("[", maxsplit=1)[0].rsplit(".", maxsplit=1)[-1]]
    return given


def methods(store):
    for name, repository in vars(store).items():
        if name != "id":
            for verb, _ in inspect.getmembers(repository, inspect.ismethod):
                if not verb.startswith("_"):
                    yield f"{name}.{verb}", verb, name


def rows_of(database, tenant_id):
    with database.engine.connect() as connection:
        return {
            name: connection.execute(
                select(table).where(table.c.tenant_id == tenant_id).order_by(*table.primary_key)
            ).all()
            for name, table in metadata.tables.items()
            if "tenant_id" in table.c
        }


NAMES = sorted((name, verb, part) for name, verb, part in methods(TenantStore(None, "t", NOW)))


@pytest.mark.parametrize("empty_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("name", "verb", "part"), NAMES, ids=[n[0] for n in NAMES])
def test_no_method_reaches_what_another_tenant_has(database, ours, name, verb, part):
    rival_id = makers.tenant(database, "Rival")
    before = rows_of(database, ours["tenant_id"])
    with database.writing() as unit:
        method = getattr(getattr(unit.of(rival_id), part), verb)
        given = arguments(method, ours, rival_id)
        if part == "idempotency":
            given.update(route="route", key="key")
        try:
            found = method(**given)
        except GraderError:
            found = None
    assert ours["tenant_id"] not in repr(found)
    assert rows_of(database, ours["tenant_id"]) == before


def test_the_sweep_over_methods_is_not_empty():
    assert len(NAMES) > 70
