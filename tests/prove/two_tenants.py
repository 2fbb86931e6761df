"""Two tenants: one queues 1,000 jobs; the other's live job starts within 2 s.

Jobs of the first take about a second each, so that its backlog stands for the whole of the
measurement; the other's live job comes when that backlog is being worked off.
"""

import shutil
import tempfile
from pathlib import Path

from grader.engine.dbos_adapter.client import DbosClientEngine
from grader.engine.dbos_adapter.system import register_queues
from grader.engine.opening import migrate
from grader.engine.port import JobOrder
from grader.engine.queues import policies
from grader.store.database import Database
from tests.engine.processes import Worker
from tests.engine.world import settings_of
from tests.store import makers
from tests.store.cluster import Cluster, await_until

BACKLOG = 1000
LIVE_JOBS = 5
MOST_S = 2.0


def main():
    cluster = Cluster()
    try:
        return max(measured("SQLite", None), measured("PostgreSQL", cluster.database()))
    finally:
        cluster.close()


def measured(name, url):
    folder = Path(tempfile.mkdtemp(prefix="grader-tenants-"))
    settings = settings_of(url or "", folder)
    database = Database(settings.database)
    migrate(database)
    client = DbosClientEngine(database)
    register_queues(client._client, policies())
    large, small = (makers.tenant(database, n) for n in ("large", "small"))
    worker = Worker(database.url, folder, beat_s=3, ttl_s=15, delay_s=1.0).ready()
    try:
        jobs = [ordered(client, large, live=False) for _ in range(BACKLOG)]
        await_until(lambda: client.health().running.get("judge"))
        waits = [waited(client, ordered(client, small, live=True)) for _ in range(LIVE_JOBS)]
        left = client.health().queued["judge"]
    finally:
        worker.kill()
        client.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{name}: {len(jobs)} jobs queued by one tenant, {left} still waiting at the end")
    print(f"  live jobs of the other started after {', '.join(f'{w:.2f}' for w in waits)} s")
    return 0 if max(waits) <= MOST_S and left else 1


def ordered(client, tenant_id, *, live):
    with client.database.writing() as unit:
        submission = makers.submission(unit.of(tenant_id))
        return client.submit(unit, JobOrder(tenant_id, submission.id, judge="llm", live=live))


def waited(client, job):
    def started():
        return len(client.events(job.tenant_id, job.id)) > 1

    await_until(started)
    queued, running = client.events(job.tenant_id, job.id)[:2]
    return (running.at - queued.at).total_seconds()
