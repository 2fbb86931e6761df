"""The port without a worker: queues jobs and asks about them, runs none."""

from collections.abc import Sequence
from datetime import datetime

from dbos import DBOSClient, EnqueueOptions

from grader.engine.dbos_adapter import system
from grader.engine.port import OFFLINE, Health, JobOrder, Sweep, run_of
from grader.engine.queues import Pool, QueueName, policies
from grader.store.database import Database
from grader.store.errors import StoreUnavailableError
from grader.store.records.grading import Job, JobEvent, JobKind, JobStatus
from grader.store.records.operations import Delivery
from grader.store.records.work import SubmissionKind
from grader.store.repositories.base import Page
from grader.store.unit import Unit

ALL_POOLS = "all"
_AT_ONCE = 100
_ENDED = ("SUCCESS", "ERROR", "CANCELLED")
_JUDGING = (ALL_POOLS, Pool.LIVE.value, Pool.BULK.value)


class DbosClientEngine:
    """An `Engine` that leaves the work to other processes.

    Args:
        database: The service's; DBOS's tables stand in it, too.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._policies = policies()
        self._client = DBOSClient(
            system_database_engine=(
                system.system_engine(database) if database.is_sqlite else database.engine
            ),
            serializer=system.SERIALIZER,
            application_name=system.APPLICATION,
        )

    def submit(self, unit: Unit, order: JobOrder) -> Job:
        """Queues a job in the caller's unit of work."""
        store = unit.of(order.tenant_id)
        submission = store.submissions.get(order.submission_id)
        queue = _queue_of(order, submission.kind)
        policy = system.policy_of(self._policies, queue)
        job = store.jobs.add(
            submission.id,
            queue=queue.value,
            priority=order.priority or policy.priority,
            judge=OFFLINE if submission.test else order.judge,
            file_version=order.file_version or submission.file_version,
            kind=order.kind,
            dry_run=order.dry_run,
        )
        self.requeue(unit, job)
        return job

    def cancel(self, tenant_id: str, job_id: str) -> Job:
        """Ends a job; from the commit on, nothing that still runs can record."""
        with self.database.writing() as unit:
            job = unit.of(tenant_id).jobs.cancel(job_id)
        if job.status is JobStatus.CANCELLED:
            self._client.cancel_workflows([job_id], cancel_children=True)
        return job

    def retry(self, tenant_id: str, job_id: str) -> Job:
        """Queues a failed or cancelled job again."""
        with self.database.writing() as unit:
            unit.of(tenant_id).jobs.demand_ended(job_id)
        # The old run is removed first: should this process die now, the job is failed as before.
        self.forget([job_id])
        with self.database.writing() as unit:
            job = unit.of(tenant_id).jobs.reopen(job_id)
            self.requeue(unit, job)
        return job

    def status(self, tenant_id: str, job_id: str) -> Job:
        """How far a job has come."""
        with self.database.reading() as unit:
            return unit.of(tenant_id).jobs.get(job_id)

    def events(self, tenant_id: str, job_id: str, *, after: int = 0) -> tuple[JobEvent, ...]:
        """What happened to a job after an event."""
        with self.database.reading() as unit:
            return unit.of(tenant_id).jobs.events(job_id, after=after)

    def list(
        self,
        tenant_id: str,
        *,
        status: JobStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Job]:
        """Jobs of a tenant, latest first."""
        with self.database.reading() as unit:
            return unit.of(tenant_id).jobs.list(status=status, cursor=cursor, limit=limit)

    def pause(self, queue: QueueName) -> None:
        """Starts no further job of a queue."""
        self._set_per_worker(queue, 0)

    def resume(self, queue: QueueName) -> None:
        """Starts jobs of a queue again."""
        self._set_per_worker(queue, system.policy_of(self._policies, queue).per_worker)

    def reap(self) -> Sweep:
        """Declares silent executors dead; a worker's next sweep queues their jobs again."""
        with self.database.writing() as unit:
            return Sweep(declared=unit.executors.declare_dead())

    def health(self) -> Health:
        """Whether jobs can run, and how many wait."""
        try:
            with self.database.writing() as unit:
                living = [e.pool for e in unit.executors.living()]
                depths = unit.deployment.queue_depths()
        except StoreUnavailableError as error:
            return Health(False, {}, {}, {}, error.message)
        judging = any(kind in _JUDGING for pool in living for kind in pool.split("+"))
        return Health(
            ready=judging,
            executors={pool: living.count(pool) for pool in set(living)},
            queued={q: n for (q, status), n in depths.items() if status == JobStatus.QUEUED},
            running={q: n for (q, status), n in depths.items() if status == JobStatus.RUNNING},
            problem="" if judging else "no process that judges answers is running",
        )

    def requeue(self, unit: Unit, job: Job) -> None:
        """Queues the workflow of a job in the caller's unit of work; nothing where it is known."""
        options = EnqueueOptions(
            workflow_name=system.GRADE,
            queue_name=job.queue,
            workflow_id=job.id,
            app_version=system.APPLICATION_VERSION,
            priority=job.priority,
            queue_partition_key=job.tenant_id,
        )
        self._client.enqueue_in_transaction(unit.session, options, job.tenant_id, job.id)

    def unknown(self, run_ids: Sequence[str]) -> tuple[str, ...]:
        """Those of the runs that DBOS has no workflow of."""
        known: set[str] = set()
        for start in range(0, len(run_ids), _AT_ONCE):
            found = self._client.list_workflows(
                workflow_ids=list(run_ids[start : start + _AT_ONCE]),
                load_input=False,
                load_output=False,
            )
            known |= {run.workflow_id for run in found}
        return tuple(run_id for run_id in run_ids if run_id not in known)

    def forget(self, job_ids: Sequence[str]) -> None:
        """Removes what DBOS keeps of jobs, their children included."""
        for start in range(0, len(job_ids), _AT_ONCE):
            some = list(job_ids[start : start + _AT_ONCE])
            self._client.delete_workflows(some, delete_children=True)

    def forget_ended(self, before: datetime) -> int:
        """Removes what DBOS keeps of workflows that ended before a moment, with their children."""
        forgotten = 0
        while ended := self._client.list_workflows(
            status=list(_ENDED),
            completed_before=before.isoformat(),
            # A child may be asked for its result for as long as its parent runs.
            has_parent=False,
            limit=_AT_ONCE,
            load_input=False,
            load_output=False,
        ):
            self.forget([run.workflow_id for run in ended])
            forgotten += len(ended)
        return forgotten

    def close(self) -> None:
        """Closes the connections."""
        self._client.destroy()
        self.database.close()

    def announce(self, unit: Unit, delivery: Delivery, wait_s: float = 0, number: int = 1) -> None:
        """Queues the sending of a webhook message in the caller's unit of work."""
        options = EnqueueOptions(
            workflow_name=system.DELIVER,
            queue_name=QueueName.WEBHOOK.value,
            workflow_id=run_of(delivery, number),
            app_version=system.APPLICATION_VERSION,
            priority=system.policy_of(self._policies, QueueName.WEBHOOK).priority,
            queue_partition_key=delivery.webhook_id,
        )
        if wait_s:
            options["delay_seconds"] = wait_s
        self._client.enqueue_in_transaction(
            unit.session, options, delivery.tenant_id, delivery.id, number
        )

    def _set_per_worker(self, queue: QueueName, number: int) -> None:
        found = self._client.retrieve_queue(queue.value)
        if found is not None:
            found.set_worker_concurrency(number)


def _queue_of(order: JobOrder, kind: SubmissionKind) -> QueueName:
    if order.live:
        return QueueName.LIVE
    if order.kind is JobKind.REGRADE:
        return QueueName.REGRADE
    return QueueName.CODE if kind is SubmissionKind.CODE else QueueName.JUDGE
