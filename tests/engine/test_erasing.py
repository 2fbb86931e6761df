"""Erasing a learner leaves no word of theirs anywhere, and every score where it was."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import MetaData, Table, inspect, select

from grader.domain.verdict import Outcome
from grader.engine.erasing import Retained, apply_retention, erase_learner, sweep_blobs
from grader.engine.port import JobOrder, final_job
from grader.judges.ledger import CallRow, CallState
from grader.store.blobs import LocalBlobs, store_blob
from grader.store.database import utc_now
from grader.store.errors import NotFoundError
from grader.store.ledger import SqlLedger
from grader.store.records.tenancy import Role
from grader.store.records.work import SubmissionKind
from tests.store import makers

SECRET = "xyzzy"


@pytest.fixture
def blobs(parts):
    return parts.blobs


def everything(database):
    """All that stands in the database, the library's tables included, as one text."""
    places = [None] if database.is_sqlite else [None, "dbos"]
    texts = []
    with database.engine.connect() as connection:
        for schema in places:
            for name in inspect(connection).get_table_names(schema=schema):
                table = Table(name, MetaData(), autoload_with=connection, schema=schema)
                texts += [repr(row) for row in connection.execute(select(table))]
    return "\n".join(texts)


async def learned(engine, database, blobs, doubles, tenant_id):
    """A learner who has left words in every place that takes some."""
    doubles.speech.text = f"{SECRET}: paging keeps the cache in blocks"
    with database.writing() as unit:
        store = unit.of(tenant_id)
        learner = store.users.add(f"{SECRET} person", roles=[Role.LEARNER], email=f"{SECRET}@x.y")
        store.webhooks.add("https://x.example", "whsec_a", ["submission.graded"])
        attempt = store.attempts.open("paging", user_id=learner.id)
        store.attempts.save_draft(attempt.id, f"{SECRET} draft")
        store.attempts.add_take(
            attempt.id, audio_blob=None, seconds=3.0, transcript={"raw": f"{SECRET} take"}
        )
    audio = store_blob(
        database, blobs, tenant_id, SECRET.encode(), media_type="audio/wav", purpose="audio"
    )
    fields = [
        {"text": f"{SECRET}. {makers.ANSWER}"},
        {"text": None, "kind": SubmissionKind.SPEECH, "audio_blob": audio.sha256},
    ]
    jobs = []
    for given in fields:
        with database.writing() as unit:
            submission = makers.submission(
                unit.of(tenant_id),
                user_id=learner.id,
                attempt_id=attempt.id,
                external_id=SECRET,
                labels={"who": SECRET},
                **given,
            )
            order = JobOrder(tenant_id, submission.id, judge="llm")
            jobs.append(engine.submit(unit, order))
    for job in jobs:
        done = await final_job(engine, tenant_id, job.id, 60.0)
        assert done.status.value == "done"
    await call_of(database, tenant_id, jobs[0].id)
    with database.writing() as unit:
        store = unit.of(tenant_id)
        store.contests.add(jobs[0].submission_id, "blocks", f"{SECRET} objects")
        store.overrides.add(
            jobs[0].submission_id, "blocks", Outcome.MET, f"{SECRET} is right", "usr_x"
        )
        reply = {"id": jobs[0].submission_id, "text": SECRET}
        store.idempotency.begin("POST /v1/submissions", "k", "h")
        store.idempotency.finish("POST /v1/submissions", "k", 202, reply)
        store.deliveries.publish("submission.graded", {"note": SECRET}, job_id=jobs[0].id)
    return learner, jobs, audio


async def call_of(database, tenant_id, job_id):
    ledger = SqlLedger(database)
    row = CallRow(
        key="k",
        tenant=tenant_id,
        run=job_id,
        model="m",
        sample=0,
        state=CallState.DONE,
        request=SECRET,
        reply=SECRET,
        started_at=utc_now(),
    )
    await ledger.settle(row, [], row.charged, row.charged)


async def test_no_word_of_an_erased_learner_is_left(
    engine, database, blobs, doubles, tenant_id, tmp_path
):
    learner, jobs, audio = await learned(engine, database, blobs, doubles, tenant_id)
    assert everything(database).count(SECRET) > 8
    with database.reading() as unit:
        scores = [unit.of(tenant_id).grades.get(job.id).grade.score for job in jobs]
    erased = await asyncio.to_thread(erase_learner, engine, database, blobs, tenant_id, learner.id)
    assert sorted(erased.job_ids) == sorted(job.id for job in jobs)
    assert erased.blobs == (audio.sha256,)
    assert SECRET not in everything(database)
    with pytest.raises(NotFoundError):
        blobs.get(tenant_id, audio.sha256)
    with database.reading() as unit:
        store = unit.of(tenant_id)
        assert [store.grades.get(job.id).grade.score for job in jobs] == scores
        assert store.submissions.get(jobs[0].id).user_id not in (None, learner.id)
        assert store.jobs.events(jobs[0].id)[-1].kind == "done"
        with pytest.raises(NotFoundError):
            store.users.get(learner.id)
    if database.is_sqlite:
        for file in tmp_path.glob("grader.db*"):
            assert SECRET.encode() not in file.read_bytes(), file.name


async def test_another_learner_keeps_everything(engine, database, blobs, doubles, tenant_id):
    learner, *_ = await learned(engine, database, blobs, doubles, tenant_id)
    with database.writing() as unit:
        store = unit.of(tenant_id)
        other = store.users.add("B", roles=[Role.LEARNER])
        kept = makers.submission(store, user_id=other.id, text="plugh")
    await asyncio.to_thread(erase_learner, engine, database, blobs, tenant_id, learner.id)
    with database.reading() as unit:
        assert unit.of(tenant_id).submissions.get(kept.id) == kept


async def test_recordings_go_first_and_texts_later(engine, database, blobs, doubles):
    with database.writing() as unit:
        settings = {"audio_days": 1, "text_days": 10}
        tenant_id = unit.deployment.add_tenant("Acme", settings=settings).id
    _, jobs, _ = await learned(engine, database, blobs, doubles, tenant_id)

    def after(days):
        return apply_retention(engine, database, blobs, utc_now() + timedelta(days=days))

    assert await asyncio.to_thread(after, 0) == Retained(recordings=0, submissions=0)
    first = await asyncio.to_thread(after, 2)
    assert (first.recordings, first.submissions) == (1, 0)
    with database.reading() as unit:
        spoken = unit.of(tenant_id).submissions.get(jobs[1].submission_id)
    assert (spoken.audio_blob, spoken.text is None) == (None, False)
    second = await asyncio.to_thread(after, 11)
    assert second.submissions == 2
    with database.reading() as unit:
        store = unit.of(tenant_id)
        assert {store.submissions.get(job.submission_id).text for job in jobs} == {None}
        assert all(store.grades.get(job.id).grade.verdicts for job in jobs)


def test_files_that_no_row_knows_are_swept(database, tenant_id, tmp_path):
    blobs = LocalBlobs(tmp_path / "blobs")
    known = store_blob(database, blobs, tenant_id, b"known", media_type="x/x", purpose="code")
    blobs.put(tenant_id, b"lost")
    assert sweep_blobs(database, blobs, utc_now() - timedelta(hours=1)) == 0, "perhaps an upload"
    assert sweep_blobs(database, blobs, utc_now() + timedelta(hours=1)) == 1
    assert list(blobs.names()) == [(tenant_id, known.sha256)]
