"""Queueing again what is open in the store and unknown to the engine, as after a restore."""

from dataclasses import dataclass

from grader.engine.port import Engine, run_of
from grader.store.database import Database
from grader.store.records.grading import Job
from grader.store.records.operations import Delivery


@dataclass(frozen=True)
class Requeued:
    """What was queued again.

    Attributes:
        job_ids: Open jobs.
        delivery_ids: Waiting webhook messages.
    """

    job_ids: tuple[str, ...] = ()
    delivery_ids: tuple[str, ...] = ()


def requeue_open(engine: Engine, database: Database) -> Requeued:
    """Queues the open jobs and waiting messages that the engine does not know.

    A backup holds none of what the engine keeps. A job that was running starts again from its
    beginning, and what was recorded of it before can be recorded by nobody else. A message whose
    time has passed is tried at once. Nothing is queued twice, whoever else does the same.

    Args:
        engine: On the same database.
        database: May be in use.
    """
    with database.reading() as unit:
        jobs = {job.id: job for job in unit.deployment.open_jobs()}
        tries = {run_of(d, d.tries + 1): d for d in unit.deployment.waiting_deliveries()}
    lost = [jobs[run_id] for run_id in engine.unknown(tuple(jobs))]
    unsent = [tries[run_id] for run_id in engine.unknown(tuple(tries))]
    return Requeued(
        tuple(job.id for job in lost if _queue(engine, database, job)),
        tuple(delivery.id for delivery in unsent if _send(engine, database, delivery)),
    )


def _queue(engine: Engine, database: Database, job: Job) -> bool:
    with database.writing() as unit:
        released = unit.of(job.tenant_id).jobs.release(job)
        if released is None:
            return False
        engine.requeue(unit, released)
    return True


def _send(engine: Engine, database: Database, delivery: Delivery) -> bool:
    with database.writing() as unit:
        now = unit.of(delivery.tenant_id).deliveries.get(delivery.id)
        if now != delivery:
            return False
        wait_s = max((now.next_at - unit.now).total_seconds(), 0.0) if now.next_at else 0.0
        engine.announce(unit, now, wait_s, now.tries + 1)
    return True
