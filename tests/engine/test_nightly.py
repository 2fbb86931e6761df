"""What is done once a day: by one process, each chore for itself, and everything there is."""

import asyncio
import logging
import threading
from datetime import timedelta

from sqlalchemy import text

from grader.engine import nightly
from grader.engine.erasing import TEXT_DAYS
from grader.engine.nightly import Chore, Nightly, chores
from grader.engine.port import JobOrder, final_job
from grader.engine.queues import Pool
from grader.store.database import utc_now
from grader.store.errors import StoreUnavailableError
from grader.store.records.grading import JobStatus
from tests.store import makers
from tests.store.cluster import await_until

A_DAY = timedelta(days=1)


def a_day_passes(database):
    with database.writing() as unit:
        unit.session.execute(text("UPDATE turns SET taken = taken - 86401"))


def counted(name, done):
    return Chore(name, lambda: done.append(name))


def test_of_all_processes_one_does_a_chore_once_a_day(database):
    done = []
    first, second = (Nightly(database, [counted("a", done)]) for _ in range(2))
    for process in (first, second, first):
        process.turn()
    assert done == ["a"]
    a_day_passes(database)
    for process in (second, first):
        process.turn()
    assert done == ["a", "a"]


def test_processes_that_ask_at_once_are_told_apart(database):
    granted = []
    start = threading.Barrier(4)

    def ask():
        start.wait()
        with database.writing() as unit:
            granted.append(unit.deployment.take_turn("a", 60.0))

    for _ in range(2):
        granted.clear()
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(granted) == [False, False, False, True]
        a_day_passes(database)


def test_a_chore_that_fails_is_logged_and_holds_up_no_other(database, caplog):
    def broken():
        raise RuntimeError("no")

    def away():
        raise StoreUnavailableError("away")

    done = []
    caplog.set_level(logging.INFO, logger=nightly.__name__)
    Nightly(database, [Chore("a", broken), Chore("b", away), counted("c", done)]).turn()
    assert done == ["c"]
    assert [r.getMessage() for r in caplog.records] == ["a failed", "b: away", "c: None"]


def test_the_thread_looks_by_itself_and_does_nothing_more_once_stopped(database):
    done = threading.Event()
    process = Nightly(database, [Chore("a", done.set)], look_s=0.01)
    process.start()
    assert done.wait(30.0)
    process.stop()
    a_day_passes(database)
    done.clear()
    process.turn()
    assert not done.is_set()


async def test_every_chore_forgets_what_has_had_its_time(engine, parts, database, monkeypatch):
    with database.writing() as unit:
        tenant_id = unit.deployment.add_tenant("Acme", settings={TEXT_DAYS: 1}).id
        submission = makers.submission(unit.of(tenant_id))
        job = engine.submit(unit, JobOrder(tenant_id, submission.id))
        unit.of(tenant_id).idempotency.begin("r", "k", "h", -A_DAY)
    makers.executor(database, "silent", ttl_s=-1.0)
    with database.writing() as unit:
        unit.executors.bury("silent")
        unit.session.execute(text("UPDATE executors SET dead = 1 WHERE id = 'silent'"))
    parts.blobs.put(tenant_id, b"lost")
    assert (await final_job(engine, tenant_id, job.id, 60.0)).status is JobStatus.DONE
    await asyncio.to_thread(await_until, lambda: ended(engine) == 1)

    def later():
        return utc_now() + timedelta(days=10)

    monkeypatch.setattr(nightly, "utc_now", later)
    await asyncio.to_thread(Nightly(database, chores(engine, database, parts.blobs)).turn)
    with database.reading() as unit:
        assert unit.of(tenant_id).submissions.get(submission.id).text is None
        assert "silent" not in unit.executors.known()
    with database.writing() as unit:
        assert unit.deployment.forget_expired_keys() == 0
    assert list(parts.blobs.names()) == []
    assert ended(engine) == 0


async def test_runs_that_ended_are_forgotten_and_open_ones_are_not(engine, tenant_id, doubles):
    doubles.judges.hold()
    jobs = []
    for judge in ("offline", "llm"):
        with engine.database.writing() as unit:
            submission = makers.submission(unit.of(tenant_id))
            jobs.append(engine.submit(unit, JobOrder(tenant_id, submission.id, judge=judge)))
    await asyncio.to_thread(doubles.judges.started.wait, 60.0)
    await final_job(engine, tenant_id, jobs[0].id, 60.0)
    await asyncio.to_thread(await_until, lambda: ended(engine) == 1)
    assert engine.forget_ended(utc_now() - A_DAY) == 0
    assert engine.forget_ended(utc_now() + A_DAY) == 1
    doubles.judges.open.set()
    assert (await final_job(engine, tenant_id, jobs[1].id, 60.0)).status is JobStatus.DONE


def test_a_process_that_may_not_have_the_files_does_no_chores(start):
    assert not start(pools=(Pool.WEBHOOK,))._nightly._thread.is_alive()


def test_a_process_that_judges_does_them(start):
    assert start(pools=(Pool.BULK,))._nightly._thread.is_alive()


def ended(engine):
    """Number of workflows that the library keeps although they ended."""
    prefix = "" if engine.database.is_sqlite else "dbos."
    query = f"SELECT count(*) FROM {prefix}workflow_status WHERE status = 'SUCCESS'"
    with engine.database.engine.connect() as connection:
        return connection.execute(text(query)).scalar()
