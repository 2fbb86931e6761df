"""Jobs, claims and grades: recorded once, by whoever holds the job, or not at all."""

import threading

import pytest

from grader.store.errors import ConflictError, NotFoundError
from grader.store.records.grading import JobKind, JobStatus
from grader.store.repositories.jobs import FencedError
from tests.store import makers


@pytest.fixture
def tenant_id(database):
    return makers.tenant(database)


@pytest.fixture
def job(database, tenant_id):
    with database.writing() as unit:
        store = unit.of(tenant_id)
        return makers.job(store, makers.submission(store))


def claimed(database, job, executor_id):
    with database.writing() as unit:
        return unit.of(job.tenant_id).jobs.claim(job.id, executor_id)


def recorded(database, claim, **score):
    with database.writing() as unit:
        return unit.of(claim.tenant_id).jobs.record(claim, makers.grade(**score))


def kinds(database, job):
    with database.reading() as unit:
        events = unit.of(job.tenant_id).jobs.events(job.id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    return [event.kind for event in events]


def test_a_grade_comes_back_as_it_was_recorded(database, job):
    claim = claimed(database, job, makers.executor(database))
    recorded(database, claim)
    with database.reading() as unit:
        store = unit.of(job.tenant_id)
        kept = store.grades.current(job.submission_id)
        assert kept.grade == makers.grade()
        assert store.grades.get(job.id) == kept
        assert store.jobs.get(job.id).status is JobStatus.DONE
    assert kinds(database, job) == ["queued", "running", "done"]


def test_the_first_job_bears_the_id_of_its_submission(database, job):
    assert job.id == job.submission_id
    with database.writing() as unit:
        store = unit.of(job.tenant_id)
        again = makers.job(store, store.submissions.get(job.submission_id), kind=JobKind.REGRADE)
    assert again.id != job.id


def test_only_the_latest_claim_records(database, job):
    first = claimed(database, job, makers.executor(database, "e1"))
    second = claimed(database, job, makers.executor(database, "e2"))
    with pytest.raises(FencedError):
        recorded(database, first, score=1.0)
    recorded(database, second)
    with pytest.raises(FencedError):
        recorded(database, second, score=2.0)
    with database.reading() as unit:
        assert len(unit.of(job.tenant_id).grades.history(job.submission_id)) == 1


def test_an_executor_declared_dead_records_and_claims_nothing(database, job):
    claim = claimed(database, job, makers.executor(database, "e1", ttl_s=0.0))
    with database.writing() as unit:
        unit.executors.bury("e1")
    with pytest.raises(FencedError):
        recorded(database, claim)
    assert claimed(database, job, "e1") is None
    with database.reading() as unit:
        assert unit.of(job.tenant_id).grades.current(job.submission_id) is None


def test_a_cancelled_job_takes_no_grade(database, job):
    claim = claimed(database, job, makers.executor(database))
    with database.writing() as unit:
        assert unit.of(job.tenant_id).jobs.cancel(job.id).status is JobStatus.CANCELLED
    with pytest.raises(FencedError):
        recorded(database, claim)
    assert claimed(database, job, "e1") is None
    assert kinds(database, job) == ["queued", "running", "cancelled"]


def test_cancelling_what_is_done_changes_nothing(database, job):
    claim = claimed(database, job, makers.executor(database))
    recorded(database, claim)
    with database.writing() as unit:
        assert unit.of(job.tenant_id).jobs.cancel(job.id).status is JobStatus.DONE
    assert kinds(database, job)[-1] == "done"


def test_a_failed_job_can_be_queued_again_and_a_done_one_cannot(database, job):
    claim = claimed(database, job, makers.executor(database))
    with database.writing() as unit:
        unit.of(job.tenant_id).jobs.fail(claim, "internal")
    with database.writing() as unit:
        again = unit.of(job.tenant_id).jobs.reopen(job.id)
    assert (again.status, again.cause) == (JobStatus.QUEUED, "")
    recorded(database, claimed(database, job, "e1"))
    with database.writing() as unit, pytest.raises(ConflictError):
        unit.of(job.tenant_id).jobs.reopen(job.id)


def test_a_regrade_replaces_the_grade_and_a_dry_run_does_not(database, job):
    executor = makers.executor(database)
    recorded(database, claimed(database, job, executor))
    for dry_run, score in ((False, 10.0), (True, 20.0)):
        with database.writing() as unit:
            store = unit.of(job.tenant_id)
            submission = store.submissions.get(job.submission_id)
            again = makers.job(store, submission, kind=JobKind.REGRADE, dry_run=dry_run)
        recorded(database, claimed(database, again, executor), score=score)
    with database.reading() as unit:
        store = unit.of(job.tenant_id)
        assert store.grades.current(job.submission_id).grade.score == 10.0
        assert [g.grade.score for g in store.grades.history(job.submission_id)] == [
            20.0,
            10.0,
            66.7,
        ]


def test_claims_at_once_are_numbered_apart(database, job):
    executors = [makers.executor(database, f"e{n}") for n in range(4)]
    claims = []

    def take(executor_id):
        claims.append(claimed(database, job, executor_id))

    threads = [threading.Thread(target=take, args=(e,)) for e in executors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claim.epoch for claim in claims) == [1, 2, 3, 4]
    kinds(database, job)


def test_nothing_of_another_tenant_can_be_reached(database, job):
    other = makers.tenant(database, "Rival")
    with database.writing() as unit:
        store = unit.of(other)
        for reach in (store.jobs.get, store.jobs.cancel, store.grades.get, store.jobs.reopen):
            with pytest.raises(NotFoundError):
                reach(job.id)
        with pytest.raises(NotFoundError):
            store.submissions.get(job.submission_id)
        assert store.jobs.events(job.id) == ()
        assert store.jobs.list().items == ()
        assert store.jobs.claim(job.id, "e1") is None
