"""Processes that die or fall silent: everything is graded once, nothing recorded is paid again."""

import pytest

from grader.engine.dbos_adapter.client import DbosClientEngine
from grader.engine.dbos_adapter.system import register_queues
from grader.engine.dbos_adapter.worker import DECLARED_DEAD_EXIT
from grader.engine.port import JobOrder
from grader.engine.queues import policies
from grader.store.blobs import LocalBlobs, store_blob
from grader.store.records.grading import JobStatus
from grader.store.records.work import SubmissionKind
from tests.engine.processes import Worker
from tests.engine.world import CALLS_A_JOB, World
from tests.store import makers
from tests.store.cluster import await_until

JOBS = 6
ON_SQLITE = pytest.mark.parametrize("empty_url", ["sqlite"], indirect=True)
ON_POSTGRES = pytest.mark.parametrize(
    "empty_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
def client(database):
    engine = DbosClientEngine(database)
    register_queues(engine._client, policies())
    yield engine
    engine._client.destroy()


@pytest.fixture
def workers(database, tmp_path):
    started = []

    def start(**options):
        worker = Worker(database.url, tmp_path, **options)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        if worker.alive:
            worker.thaw()
            worker.kill()


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def submitted(client, tenant_id, number, **order):
    with client.database.writing() as unit:
        submission = makers.submission(unit.of(tenant_id), text=f"{number}: {makers.ANSWER}")
        return client.submit(unit, JobOrder(tenant_id, submission.id, judge="llm", **order))


def past_transcribing(client, job):
    stages = [e.data.get("stage") for e in client.events(job.tenant_id, job.id)]
    return "judging" in stages


def all_done(client, jobs):
    return all(client.status(j.tenant_id, j.id).status is JobStatus.DONE for j in jobs)


def assert_graded_and_billed_once(client, jobs):
    tenant_id = jobs[0].tenant_id
    with client.database.reading() as unit:
        store = unit.of(tenant_id)
        for job in jobs:
            assert len(store.grades.history(job.submission_id)) == 1
            assert store.usage.calls_of(job.id).calls == CALLS_A_JOB
        lines = [(u.job_id, u.kind) for u in store.usage.list(limit=200).items]
    assert sorted(lines) == sorted((j.id, kind) for j in jobs for kind in ("grade", "llm_tokens"))


def test_another_worker_takes_up_what_a_killed_one_had(client, tenant_id, workers, world):
    both = [workers(), workers()]
    for worker in both:
        worker.ready()
    jobs = [submitted(client, tenant_id, n) for n in range(JOBS)]
    await_until(lambda: world.lines("call"))
    busy = world.lines("call")[0]["pid"]
    next(worker for worker in both if worker.pid == busy).kill()
    await_until(lambda: all_done(client, jobs))
    assert_graded_and_billed_once(client, jobs)


def test_a_zombie_records_nothing_and_ends_itself(client, tenant_id, workers, world):
    zombie = workers(delay_s=1.0).ready()
    job = submitted(client, tenant_id, 1)
    await_until(lambda: world.lines("call"))
    zombie.freeze()
    heir = workers().ready()
    await_until(lambda: all_done(client, [job]))
    executions = client.status(tenant_id, job.id).epoch
    events = client.events(tenant_id, job.id)
    zombie.thaw()
    assert zombie.process.wait(timeout=30) == DECLARED_DEAD_EXIT
    assert executions == 2
    assert client.events(tenant_id, job.id) == events
    assert heir.alive
    assert_graded_and_billed_once(client, [job])


@ON_SQLITE
def test_an_embedded_process_goes_on_where_it_was_killed(
    client, tenant_id, workers, world, database, tmp_path
):
    blobs = LocalBlobs(tmp_path / "blobs")
    served = workers(mode="embedded").ready()
    jobs = []
    for number in range(JOBS):
        blob = store_blob(
            database,
            blobs,
            tenant_id,
            str(number).encode(),
            media_type="audio/wav",
            purpose="audio",
        )
        with database.writing() as unit:
            submission = makers.submission(
                unit.of(tenant_id), text=None, kind=SubmissionKind.SPEECH, audio_blob=blob.sha256
            )
            order = JobOrder(tenant_id, submission.id, judge="llm", live=True)
            jobs.append(client.submit(unit, order))
    await_until(lambda: all(past_transcribing(client, job) for job in jobs))
    served.kill()
    workers(mode="embedded").ready()
    await_until(lambda: all_done(client, jobs))
    assert_graded_and_billed_once(client, jobs)
    assert len(world.lines("transcribe")) == JOBS, "what was recorded is not done again"


@ON_SQLITE
def test_a_second_process_on_the_same_folder_is_refused(workers):
    workers(mode="embedded").ready()
    second = workers(mode="embedded")
    assert second.process.wait(timeout=30) == 1
    assert "another process serves" in second.log.read_text()


@ON_POSTGRES
def test_a_restart_of_the_database_loses_nothing(client, tenant_id, workers, world, cluster):
    workers().ready()
    jobs = [submitted(client, tenant_id, n) for n in range(JOBS)]
    await_until(lambda: world.lines("call"))
    cluster.restart()
    await_until(lambda: all_done(client, jobs))
    assert_graded_and_billed_once(client, jobs)
