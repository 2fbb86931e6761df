"""After a restore, what was open is queued again, once, and ends as if nothing had happened."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from grader.engine.opening import migrate
from grader.engine.port import JobOrder, final_job
from grader.engine.requeueing import Requeued, requeue_open
from grader.store.backup import back_up, restore
from grader.store.blobs import LocalBlobs
from grader.store.database import Database
from grader.store.records.grading import JobStatus
from grader.store.records.operations import DeliveryState
from tests.store import makers
from tests.store.cluster import await_until

WAIT_S = 60.0


@pytest.fixture
def backup(database, tenant_id, tmp_path):
    """A backup with a queued, a running, a final job and two waiting messages, and their ids.

    Of the messages, one is due, and the other's second try is to come in an hour.
    """
    executor = makers.executor(database)
    with database.writing() as unit:
        store = unit.of(tenant_id)
        queued, running, done = (makers.job(store, makers.submission(store)) for _ in range(3))
        store.webhooks.add("https://x.example", "whsec_a", ["e"])
        (due,), (later,) = (store.deliveries.publish("e", {"n": n}) for n in range(2))
        store.deliveries.note(
            later.id, delivered=False, status=500, next_at=unit.now + timedelta(hours=1)
        )
    with database.writing() as unit:
        jobs = unit.of(tenant_id).jobs
        jobs.claim(running.id, executor)
        jobs.record(jobs.claim(done.id, executor), makers.grade())
    folder = tmp_path / "backup"
    back_up(database, LocalBlobs(tmp_path / "blobs"), folder)
    return folder, queued, running, done, due, later


@pytest.fixture
def restored(backup, database, empty_url, tmp_path, request, parts):
    """The parts of an engine on a place that was filled from the backup."""
    url = f"sqlite:///{tmp_path / 'restored.db'}"
    if not database.is_sqlite:
        url = request.getfixturevalue("cluster").database()
    place = Database(url)
    restore(backup[0], place, LocalBlobs(tmp_path / "files"))
    migrate(place)
    yield replace(parts, database=place)
    place.close()


async def test_open_jobs_are_queued_again_and_end(backup, restored, start, tenant_id, doubles):
    _, queued, running, done, due, later = backup
    engine, place = start(parts=restored), restored.database
    with place.reading() as unit:
        grade = unit.of(tenant_id).grades.get(done.id)
    again = await asyncio.to_thread(requeue_open, engine, place)
    assert again.job_ids == (queued.id, running.id)
    assert set(again.delivery_ids) == {due.id, later.id}
    for job in (queued, running):
        assert (await final_job(engine, tenant_id, job.id, WAIT_S)).status is JobStatus.DONE
    kinds = [e.kind for e in engine.events(tenant_id, running.id)]
    assert kinds == ["queued", "running", "queued", "running", "done"]
    with place.reading() as unit:
        assert unit.of(tenant_id).grades.get(done.id) == grade

    def delivered():
        with place.reading() as unit:
            return unit.of(tenant_id).deliveries.get(due.id).state is DeliveryState.DELIVERED

    await asyncio.to_thread(await_until, delivered, WAIT_S)
    assert [d.id for d in doubles.messenger.sent] == [due.id], "the other one's time is to come"
    assert requeue_open(engine, place) == Requeued()


async def test_what_the_engine_knows_is_left_alone(engine, database, tenant_id, doubles):
    doubles.judges.hold()
    with database.writing() as unit:
        submission = makers.submission(unit.of(tenant_id))
        job = engine.submit(unit, JobOrder(tenant_id, submission.id, judge="llm"))
    await asyncio.to_thread(doubles.judges.started.wait, WAIT_S)
    assert await asyncio.to_thread(requeue_open, engine, database) == Requeued()
    doubles.judges.open.set()
    assert (await final_job(engine, tenant_id, job.id, WAIT_S)).status is JobStatus.DONE
    assert doubles.judges.starts == 1


async def test_queueing_what_is_known_runs_nothing_twice(engine, database, tenant_id, doubles):
    with database.writing() as unit:
        submission = makers.submission(unit.of(tenant_id))
        job = engine.submit(unit, JobOrder(tenant_id, submission.id, judge="llm"))
    await final_job(engine, tenant_id, job.id, WAIT_S)
    with database.writing() as unit:
        engine.requeue(unit, job)
        marker = makers.submission(unit.of(tenant_id))
        last = engine.submit(unit, JobOrder(tenant_id, marker.id, judge="llm"))
    await final_job(engine, tenant_id, last.id, WAIT_S)
    assert doubles.judges.starts == 2


def test_a_job_that_was_taken_up_since_it_was_seen_is_not_released(database, tenant_id):
    executor = makers.executor(database)
    with database.writing() as unit:
        store = unit.of(tenant_id)
        seen = makers.job(store, makers.submission(store))
        store.jobs.claim(seen.id, executor)
    with database.writing() as unit:
        jobs = unit.of(tenant_id).jobs
        assert jobs.release(seen) is None
        running = jobs.get(seen.id)
        assert running.status is JobStatus.RUNNING
        assert jobs.release(running).status is JobStatus.QUEUED
