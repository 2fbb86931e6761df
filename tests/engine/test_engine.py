"""The contract of the engine port, on SQLite and PostgreSQL."""

import asyncio
import json

import pytest
from sqlalchemy import text

from grader.engine.port import JobOrder, events_after, final_job
from grader.engine.queues import Pool, QueueName
from grader.store.blobs import store_blob
from grader.store.errors import ConflictError, NotFoundError
from grader.store.records.grading import JobKind, JobStatus
from grader.store.records.work import SubmissionKind
from tests.store import makers
from tests.store.cluster import await_until

WAIT_S = 60.0
KEPT_IN = ("workflow_status", "workflow_input", "workflow_output", "operation_outputs")


def submitted(engine, tenant_id, *, order=None, **fields):
    with engine.database.writing() as unit:
        submission = makers.submission(unit.of(tenant_id), **fields)
        return engine.submit(unit, JobOrder(tenant_id, submission.id, **(order or {})))


async def ended(engine, job):
    return await final_job(engine, job.tenant_id, job.id, WAIT_S)


def grade_of(engine, job):
    with engine.database.reading() as unit:
        return unit.of(job.tenant_id).grades.current(job.submission_id)


def usage(engine, job):
    with engine.database.reading() as unit:
        return [(u.job_id, u.kind) for u in unit.of(job.tenant_id).usage.list().items]


def dbos(engine, query):
    """Rows of DBOS's own tables, which stand in the same database."""
    prefix = "" if engine.database.is_sqlite else "dbos."
    with engine.database.engine.connect() as connection:
        return connection.execute(text(query.format(prefix))).all()


async def test_a_typed_answer_is_judged_recorded_and_billed_once(engine, tenant_id):
    job = submitted(engine, tenant_id)
    done = await ended(engine, job)
    assert done.status is JobStatus.DONE
    kept = grade_of(engine, job).grade
    assert [v.signal_id for v in kept.verdicts] == ["blocks", "waste"]
    assert kept.verdicts[0].judge.startswith("offline")
    assert usage(engine, job) == [(job.id, "grade")]
    events = engine.events(tenant_id, job.id)
    assert [e.kind for e in events] == ["queued", "running", "done"]


async def test_a_model_call_is_one_recorded_step(engine, tenant_id, doubles):
    job = submitted(engine, tenant_id, order={"judge": "llm"})
    assert (await ended(engine, job)).status is JobStatus.DONE
    assert doubles.judges.starts == 1
    stages = [e.data["stage"] for e in engine.events(tenant_id, job.id) if e.kind == "stage"]
    assert stages == ["judging"]
    steps = dbos(
        engine,
        "SELECT function_name FROM {}operation_outputs ORDER BY function_id",
    )
    assert [s[0] for s in steps] == ["judge"]


async def test_a_spoken_answer_is_transcribed_then_judged(engine, parts, tenant_id):
    blob = store_blob(
        parts.database, parts.blobs, tenant_id, b"RIFF", media_type="audio/wav", purpose="audio"
    )
    job = submitted(
        engine,
        tenant_id,
        text=None,
        kind=SubmissionKind.SPEECH,
        audio_blob=blob.sha256,
        order={"live": True},
    )
    assert job.queue == QueueName.LIVE
    assert (await ended(engine, job)).status is JobStatus.DONE
    with engine.database.reading() as unit:
        submission = unit.of(tenant_id).submissions.get(job.submission_id)
    assert submission.text == "paging keeps the cache in blocks"
    assert submission.transcript["raw"] == submission.text


async def test_code_runs_in_a_child_on_the_sandbox_queue(engine, parts, tenant_id, doubles):
    blob = store_blob(
        parts.database, parts.blobs, tenant_id, b"x = 1", media_type="text/x-python", purpose="code"
    )
    job = submitted(engine, tenant_id, text=None, kind=SubmissionKind.CODE, code_blob=blob.sha256)
    assert (await ended(engine, job)).status is JobStatus.DONE
    kept = grade_of(engine, job)
    assert [v.outcome for v in kept.grade.verdicts] == ["met", "not_met"]
    assert kept.code_result["backend"] == "double"
    child = dbos(
        engine, f"SELECT queue_name FROM {{}}workflow_status WHERE workflow_uuid = '{job.id}:code'"
    )
    assert [c[0] for c in child] == ["sandbox-cpu"]


async def test_a_fault_of_ours_fails_the_job_and_gives_no_grade(engine, tenant_id):
    job = submitted(engine, tenant_id, order={"judge": "unheard-of"})
    failed = await ended(engine, job)
    assert (failed.status, failed.cause) == (JobStatus.FAILED, "judge_unknown")
    assert grade_of(engine, job) is None
    assert usage(engine, job) == []


async def test_a_failed_job_can_be_tried_again(engine, tenant_id, doubles, parts):
    job = submitted(engine, tenant_id, text=None, kind=SubmissionKind.SPEECH, audio_blob="0" * 64)
    failed = await ended(engine, job)
    assert failed.status is JobStatus.FAILED
    with engine.database.writing() as unit:
        unit.of(tenant_id).submissions.set_heard(job.submission_id, makers.ANSWER, {"raw": ""})
    again = await asyncio.to_thread(engine.retry, tenant_id, job.id)
    assert again.status is JobStatus.QUEUED
    assert (await ended(engine, job)).status is JobStatus.DONE
    with pytest.raises(ConflictError):
        engine.retry(tenant_id, job.id)


async def test_a_unit_that_is_rolled_back_leaves_neither_row_nor_workflow(engine, tenant_id):
    class Refused(Exception):
        pass

    with pytest.raises(Refused), engine.database.writing() as unit:
        submission = makers.submission(unit.of(tenant_id))
        engine.submit(unit, JobOrder(tenant_id, submission.id))
        raise Refused
    assert engine.list(tenant_id).items == ()
    assert dbos(engine, "SELECT * FROM {}workflow_status") == []


async def test_cancelling_stops_the_model_call(engine, tenant_id, doubles):
    doubles.judges.hold()
    job = submitted(engine, tenant_id, order={"judge": "llm"})
    await asyncio.to_thread(doubles.judges.started.wait, WAIT_S)
    cancelled = await asyncio.to_thread(engine.cancel, tenant_id, job.id)
    assert cancelled.status is JobStatus.CANCELLED
    assert await asyncio.to_thread(doubles.judges.stopped.wait, WAIT_S)
    assert grade_of(engine, job) is None
    assert engine.events(tenant_id, job.id)[-1].kind == "cancelled"


async def test_cancelling_stops_the_sandbox(engine, parts, tenant_id, doubles):
    doubles.code.hold()
    blob = store_blob(
        parts.database, parts.blobs, tenant_id, b"x = 1", media_type="text/x-python", purpose="code"
    )
    job = submitted(engine, tenant_id, text=None, kind=SubmissionKind.CODE, code_blob=blob.sha256)
    await asyncio.to_thread(doubles.code.started.wait, WAIT_S)
    await asyncio.to_thread(engine.cancel, tenant_id, job.id)
    assert await asyncio.to_thread(doubles.code.stopped.wait, WAIT_S)
    assert grade_of(engine, job) is None


async def test_a_waiting_job_that_is_cancelled_never_starts(engine, tenant_id, doubles):
    engine.pause(QueueName.JUDGE)
    await asyncio.sleep(0.3)
    job = submitted(engine, tenant_id, order={"judge": "llm"})
    await asyncio.to_thread(engine.cancel, tenant_id, job.id)
    engine.resume(QueueName.JUDGE)
    other = submitted(engine, tenant_id, order={"judge": "llm"})
    await ended(engine, other)
    assert doubles.judges.order == [other.id]


async def test_a_paused_queue_starts_nothing_and_stays_paused_over_a_restart(start, tenant_id):
    engine = start()
    engine.pause(QueueName.JUDGE)
    engine.close()
    engine = start(executor_id="e2")
    job = submitted(engine, tenant_id)
    live = submitted(engine, tenant_id, order={"live": True})
    assert (await ended(engine, live)).status is JobStatus.DONE
    assert engine.status(tenant_id, job.id).status is JobStatus.QUEUED
    engine.resume(QueueName.JUDGE)
    assert (await ended(engine, job)).status is JobStatus.DONE


async def test_the_lowest_number_comes_first(engine, tenant_id, doubles):
    engine.pause(QueueName.REGRADE)
    await asyncio.sleep(0.7)
    jobs = []
    for priority in (900, 500, 7):
        job = submitted(engine, tenant_id)
        await ended(engine, job)
        with engine.database.writing() as unit:
            order = JobOrder(
                tenant_id,
                job.submission_id,
                judge="llm",
                kind=JobKind.REGRADE,
                priority=priority,
            )
            jobs.append(engine.submit(unit, order))
    engine.resume(QueueName.REGRADE)
    for job in jobs:
        assert (await ended(engine, job)).status is JobStatus.DONE
    claims = {job.id: engine.events(tenant_id, job.id)[1].at for job in jobs}
    assert min(claims, key=claims.get) == jobs[-1].id


async def test_a_tenant_with_a_backlog_does_not_hold_up_another(
    engine, database, tenant_id, doubles
):
    doubles.judges.hold()
    for _ in range(40):
        submitted(engine, tenant_id, order={"judge": "llm"})
    other = makers.tenant(database, "Small")
    job = submitted(engine, other)
    assert (await ended(engine, job)).status is JobStatus.DONE
    await asyncio.to_thread(await_until, lambda: doubles.judges.starts == 32, WAIT_S)
    waiting = engine.list(tenant_id, status=JobStatus.QUEUED).items
    assert len(waiting) == 8, "no more than its share of a tenant's jobs runs at once"
    doubles.judges.open.set()


async def test_test_submissions_always_get_the_offline_judge(engine, tenant_id, doubles):
    job = submitted(engine, tenant_id, test=True, order={"judge": "llm"})
    assert (await ended(engine, job)).judge == "offline"
    assert doubles.judges.starts == 0


async def test_a_webhook_message_goes_out_once_and_carries_no_text(engine, tenant_id, doubles):
    with engine.database.writing() as unit:
        unit.of(tenant_id).webhooks.add("https://x.example", "whsec_a", ["submission.graded"])
    job = submitted(engine, tenant_id)
    await ended(engine, job)
    await asyncio.to_thread(await_until, lambda: len(doubles.messenger.sent) == 1, WAIT_S)
    message = doubles.messenger.sent[0]
    assert message.body["job_id"] == job.id
    assert makers.ANSWER[:6] not in str(message.body)

    def delivered():
        with engine.database.reading() as unit:
            return unit.of(tenant_id).deliveries.get(message.id).state == "delivered"

    await asyncio.to_thread(await_until, delivered, WAIT_S)


async def test_a_long_poll_ends_with_the_next_event(engine, tenant_id, doubles):
    doubles.judges.hold()
    job = submitted(engine, tenant_id, order={"judge": "llm"})
    await asyncio.to_thread(doubles.judges.started.wait, WAIT_S)
    seen = engine.events(tenant_id, job.id)[-1].seq
    waiting = asyncio.create_task(events_after(engine, tenant_id, job.id, seen, WAIT_S))
    doubles.judges.open.set()
    assert [e.kind for e in await waiting] == ["done"]
    assert await events_after(engine, tenant_id, job.id, 10_000, 0.0) == ()


async def test_nothing_of_another_tenant_is_told_or_stopped(engine, database, tenant_id):
    job = submitted(engine, tenant_id)
    other = makers.tenant(database, "Rival")
    for ask in (engine.status, engine.cancel, engine.retry):
        with pytest.raises(NotFoundError):
            ask(other, job.id)
    assert engine.events(other, job.id) == ()
    assert engine.list(other).items == ()
    with pytest.raises(NotFoundError), database.writing() as unit:
        engine.submit(unit, JobOrder(other, job.submission_id))


async def test_forgetting_removes_all_that_the_library_keeps(engine, tenant_id):
    job = submitted(engine, tenant_id, order={"judge": "llm"})
    await ended(engine, job)
    await asyncio.to_thread(
        await_until,
        lambda: not dbos(engine, "SELECT 1 FROM {}workflow_status WHERE status = 'PENDING'"),
    )
    engine.forget([job.id])
    for table in KEPT_IN:
        assert dbos(engine, f"SELECT * FROM {{}}{table}") == [], table


async def test_nothing_is_kept_as_a_pickle(engine, tenant_id):
    job = submitted(engine, tenant_id, order={"judge": "llm"})
    await ended(engine, job)
    kept = dbos(engine, "SELECT serialization FROM {}workflow_status")
    assert [row[0] for row in kept] == ["portable_json"]
    inputs = dbos(engine, "SELECT inputs FROM {}workflow_input")
    assert json.loads(inputs[0][0])["positionalArgs"] == [tenant_id, job.id]
    outputs = dbos(engine, "SELECT output FROM {}operation_outputs ORDER BY function_id")
    assert json.loads(outputs[0][0])["value"]["question_id"] == "paging"


async def test_a_pool_serves_its_own_queues_only(start, tenant_id):
    engine = start(pools=(Pool.LIVE,))
    bulk = submitted(engine, tenant_id)
    live = submitted(engine, tenant_id, order={"live": True})
    assert (await ended(engine, live)).status is JobStatus.DONE
    assert engine.status(tenant_id, bulk.id).status is JobStatus.QUEUED
    health = engine.health()
    assert health.ready
    assert (health.executors, health.queued) == ({"live": 1}, {"judge": 1})


async def test_without_a_process_that_judges_it_is_not_ready(start):
    engine = start(pools=(Pool.WEBHOOK,))
    assert not engine.health().ready
    assert "no process that judges" in engine.health().problem
