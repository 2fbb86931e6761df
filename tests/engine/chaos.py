"""Kills workers at random moments while they grade, and counts what came of it."""

import hashlib
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import text

from grader.engine.dbos_adapter.client import DbosClientEngine
from grader.engine.dbos_adapter.system import register_queues
from grader.engine.opening import migrate
from grader.engine.port import JobOrder
from grader.engine.queues import policies
from grader.store.blobs import LocalBlobs, store_blob
from grader.store.database import Database
from grader.store.records.work import SubmissionKind
from tests.engine.processes import Worker
from tests.engine.world import CALLS_A_JOB, TOKENS_A_CALL, World, call_key
from tests.store import makers
from tests.store.cluster import await_until

MIX = ("offline", "llm", "llm", "speech", "code")
DELAY_S = 0.6


@dataclass(frozen=True)
class Plan:
    """How much of it: jobs go out in waves, with one kill after each."""

    jobs: int
    kills: int
    workers: int = 2
    seed: int = 1
    longest_wait_s: float = 2.5
    timeout_s: float = 600.0


@dataclass
class Outcome:
    """What was counted; `faults` is empty where the claim holds."""

    facts: dict = field(default_factory=dict)
    faults: list = field(default_factory=list)

    def expect(self, name, found, wanted):
        self.facts[name] = found
        if found != wanted:
            self.faults.append(f"{name}: {found}, expected {wanted}")


class Chaos:
    """One run on one database."""

    def __init__(self, url, plan, restart=None):
        self.plan = plan
        self.restart = restart
        self.random = random.Random(plan.seed)
        self.folder = Path(tempfile.mkdtemp(prefix="grader-chaos-"))
        self.url = url or f"sqlite:///{self.folder / 'grader.db'}"
        self.database = Database(self.url)
        migrate(self.database)
        self.client = DbosClientEngine(self.database)
        register_queues(self.client._client, policies())
        self.blobs = LocalBlobs(self.folder / "blobs")
        self.tenants = [makers.tenant(self.database, name) for name in ("A", "B")]
        self.world = World(self.folder)
        self.jobs, self.kinds, self.keys = [], {}, {}
        self.running, self.kills = [], 0

    def run(self):
        started = time.monotonic()
        try:
            self.running = [self.worker() for _ in range(self.plan.workers)]
            for worker in self.running:
                worker.ready()
            self.waves()
            await_until(self.settled, self.plan.timeout_s, 0.3)
        finally:
            for worker in self.running:
                worker.kill()
        return self.counted(time.monotonic() - started)

    def close(self):
        self.client.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def waves(self):
        sizes = [len(range(n, self.plan.jobs, self.plan.kills)) for n in range(self.plan.kills)]
        for number, size in enumerate(sizes):
            for _ in range(size):
                self.submit(len(self.jobs))
            time.sleep(self.random.uniform(0.1, self.plan.longest_wait_s))
            self.kill()
            if self.restart is not None and number == self.plan.kills // 2:
                self.restart()

    def kill(self):
        place = self.random.randrange(len(self.running))
        self.running[place].kill()
        self.kills += 1
        self.running[place] = self.worker().ready()

    def worker(self):
        return Worker(self.url, self.folder, beat_s=0.3, ttl_s=2.0, delay_s=DELAY_S)

    def submit(self, number):
        kind = MIX[number % len(MIX)]
        tenant_id = self.tenants[number % len(self.tenants)]
        content = f"{number}: {makers.ANSWER}"
        fields = {"text": content}
        if kind in ("speech", "code"):
            fields = self.stored(tenant_id, kind, content.encode())
        with self.database.writing() as unit:
            submission = makers.submission(unit.of(tenant_id), **fields)
            judge = "offline" if kind in ("offline", "code") else "llm"
            order = JobOrder(tenant_id, submission.id, judge=judge, live=kind == "speech")
            job = self.client.submit(unit, order)
        self.jobs.append(job)
        self.kinds[job.id] = kind
        self.keys[job.id] = hashlib.sha256(content.encode()).hexdigest()[:16]

    def stored(self, tenant_id, kind, data):
        purpose = "audio" if kind == "speech" else "code"
        blob = store_blob(
            self.database, self.blobs, tenant_id, data, media_type="x/x", purpose=purpose
        )
        return {"text": None, "kind": SubmissionKind(kind), f"{purpose}_blob": blob.sha256}

    def settled(self):
        health = self.client.health()
        return health.executors and not health.queued and not health.running

    def counted(self, seconds):
        outcome = Outcome()
        outcome.facts["seconds"] = round(seconds, 1)
        outcome.facts["kills"] = self.kills
        self.count_grades(outcome)
        self.count_calls(outcome)
        self.count_steps(outcome)
        return outcome

    def count_grades(self, outcome):
        statuses, grades, lines, executions = Counter(), Counter(), Counter(), 0
        wanted = Counter()
        for job in self.jobs:
            with self.database.reading() as unit:
                store = unit.of(job.tenant_id)
                found = store.jobs.get(job.id)
                statuses[found.status.value] += 1
                executions += found.epoch
                grades[len(store.grades.history(job.submission_id))] += 1
            wanted[(job.id, "grade", 1)] = 1
            if self.kinds[job.id] in ("llm", "speech"):
                wanted[(job.id, "llm_tokens", CALLS_A_JOB * TOKENS_A_CALL)] = 1
        for tenant_id in self.tenants:
            lines += Counter(self.usage(tenant_id))
        outcome.expect("jobs by status", dict(statuses), {"done": len(self.jobs)})
        outcome.expect("submissions by number of grades", dict(grades), {1: len(self.jobs)})
        outcome.expect("usage lines wrong", len(lines - wanted) + len(wanted - lines), 0)
        outcome.facts["usage lines"] = sum(lines.values())
        outcome.facts["executions"] = executions

    def usage(self, tenant_id):
        cursor = None
        with self.database.reading() as unit:
            while True:
                page = unit.of(tenant_id).usage.list(cursor=cursor, limit=200)
                yield from ((u.job_id, u.kind, u.quantity) for u in page.items)
                cursor = page.next_cursor
                if cursor is None:
                    return

    def count_calls(self, outcome):
        calls = self.world.lines("call")
        rows = self.query("SELECT request, finished_at FROM calls WHERE state = 'done'")
        finished = {request_key(request): epoch(at) for request, at in rows}
        distinct = {line["key"] for line in calls}
        late = [c for c in calls if c["key"] in finished and c["t"] > finished[c["key"]]]
        jobs = sum(kind in ("llm", "speech") for kind in self.kinds.values())
        outcome.expect("model calls recorded", len(finished), CALLS_A_JOB * jobs)
        outcome.facts["model calls started"] = len(calls)
        outcome.facts["model calls repeated in flight"] = len(calls) - len(distinct)
        outcome.expect("recorded model calls repeated", len(late), 0)

    def count_steps(self, outcome):
        prefix = "" if self.database.is_sqlite else "dbos."
        rows = self.query(
            "SELECT workflow_uuid, function_name, completed_at_epoch_ms FROM "
            f"{prefix}operation_outputs WHERE function_name IN ('transcribe', 'sandbox')"
        )
        ended = {(self.keys[w.removesuffix(":code")], name): ms / 1000 for w, name, ms in rows}
        for what, step, kind in (("transcribe",) * 2 + ("speech",), ("run", "sandbox", "code")):
            lines = self.world.lines(what)
            late = [e for e in lines if e["t"] > ended.get((e["key"], step), float("inf"))]
            jobs = sum(k == kind for k in self.kinds.values())
            recorded = sum(name == step for _, name in ended)
            outcome.expect(f"{step} steps recorded", recorded, jobs)
            outcome.facts[f"{step} steps repeated in flight"] = len(lines) - jobs
            outcome.expect(f"recorded {step} steps repeated", len(late), 0)

    def query(self, statement):
        with self.database.engine.connect() as connection:
            return connection.execute(text(statement)).all()


def request_key(request):

    return call_key(json.loads(request)["messages"])


def epoch(moment):

    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    return moment.timestamp()
