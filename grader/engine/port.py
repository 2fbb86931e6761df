"""The port of the engine: what the API and the command line may ask of it.

The methods are short and synchronous: they talk to the database and wait for no job. Call them
from a thread where an event loop runs.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from grader.engine.queues import QueueName
from grader.store.records.grading import Job, JobEvent, JobKind, JobStatus
from grader.store.records.operations import Delivery
from grader.store.repositories.base import Page
from grader.store.unit import Unit

OFFLINE = "offline"
_POLL_S = 0.05
_MOST_POLL_S = 0.5


@dataclass(frozen=True)
class JobOrder:
    """What is to be graded, and how.

    Attributes:
        tenant_id: Whose submission.
        submission_id: Stored already, or in the same unit of work.
        judge: Name of the judge; test submissions always get the offline one. Code needs none.
        kind: The first grading of a submission, or another one.
        live: Whether somebody waits: such jobs have their own processes.
        priority: 1 comes first; that of the queue where None.
        file_version: Of the question to grade by; the submission's own where None.
        dry_run: Whether the grade is kept without counting.
    """

    tenant_id: str
    submission_id: str
    judge: str = OFFLINE
    kind: JobKind = JobKind.GRADE
    live: bool = False
    priority: int | None = None
    file_version: str | None = None
    dry_run: bool = False


@dataclass(frozen=True)
class Sweep:
    """What one look for dead executors found.

    Attributes:
        declared: Executors that this sweep declared dead.
        recovered: Ids of the jobs that were queued again.
    """

    declared: tuple[str, ...] = ()
    recovered: tuple[str, ...] = ()


@dataclass(frozen=True)
class Health:
    """Whether jobs can run.

    Attributes:
        ready: Whether the database takes writes and an executor that judges lives.
        executors: Living executors by pool; those of one process that serves all count as ``all``.
        queued: Waiting jobs by queue.
        running: Jobs being run by queue.
        problem: Why not ready; empty where it is.
    """

    ready: bool
    executors: dict[str, int]
    queued: dict[str, int]
    running: dict[str, int]
    problem: str = ""


class Engine(Protocol):
    """Runs jobs durably."""

    def submit(self, unit: Unit, order: JobOrder) -> Job:
        """Queues a job in the caller's unit of work: both are there afterwards, or neither.

        Raises:
            NotFoundError: No such submission of this tenant.
        """
        ...

    def cancel(self, tenant_id: str, job_id: str) -> Job:
        """Ends a job: stops its model call, kills its container, records nothing more.

        A job that is final already is returned as it is.

        Raises:
            NotFoundError: No such job of this tenant.
        """
        ...

    def retry(self, tenant_id: str, job_id: str) -> Job:
        """Queues a failed or cancelled job again, from its beginning.

        Raises:
            ConflictError: It is neither.
            NotFoundError: No such job of this tenant.
        """
        ...

    def status(self, tenant_id: str, job_id: str) -> Job:
        """How far a job has come.

        Raises:
            NotFoundError: No such job of this tenant.
        """
        ...

    def events(self, tenant_id: str, job_id: str, *, after: int = 0) -> tuple[JobEvent, ...]:
        """What happened to a job after the event of that number, in order."""
        ...

    def list(
        self,
        tenant_id: str,
        *,
        status: JobStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Job]:
        """Jobs of a tenant, latest first."""
        ...

    def pause(self, queue: QueueName) -> None:
        """Starts no further job of a queue until it is resumed, whatever restarts in between."""
        ...

    def resume(self, queue: QueueName) -> None:
        """Starts jobs of a queue again."""
        ...

    def reap(self) -> Sweep:
        """Declares executors dead that have fallen silent, and queues their jobs again."""
        ...

    def health(self) -> Health:
        """Whether jobs can run, and how many wait."""
        ...

    def announce(self, unit: Unit, delivery: Delivery, wait_s: float = 0, number: int = 1) -> None:
        """Queues the sending of a webhook message in the caller's unit of work.

        Args:
            unit: In which the message was added, too.
            delivery: The message.
            wait_s: Seconds before it is sent.
            number: Which try of this message it is, from 1; each is queued once.
        """
        ...

    def requeue(self, unit: Unit, job: Job) -> None:
        """Queues an open job that the engine does not know, in the caller's unit of work."""
        ...

    def unknown(self, run_ids: Sequence[str]) -> tuple[str, ...]:
        """Those of the runs that the engine keeps nothing of, in their order.

        Args:
            run_ids: Of a job its id, of a webhook message `run_of` it.
        """
        ...

    def forget(self, job_ids: Sequence[str]) -> None:
        """Removes what the engine keeps of jobs: inputs, outputs of steps, errors."""
        ...

    def forget_ended(self, before: datetime) -> int:
        """Removes what the engine keeps of jobs and messages that ended before a moment.

        Returns:
            Number of runs removed, those within others not counted.
        """
        ...

    def close(self) -> None:
        """Stops taking jobs; those under way are taken up by others, or at the next start."""
        ...


def run_of(delivery: Delivery, number: int) -> str:
    """Id of the run that tries a message for that time, from 1."""
    return f"{delivery.id}:{number}"


async def events_after(
    engine: Engine, tenant_id: str, job_id: str, after: int, wait_s: float
) -> tuple[JobEvent, ...]:
    """Waits until something has happened to a job after the event of that number.

    Args:
        engine: Asked again and again, ever more seldom.
        tenant_id: Whose job.
        job_id: Of the job.
        after: Number of the last event known.
        wait_s: Seconds to wait at most.

    Returns:
        The new events in order; none where nothing happened in time.
    """
    end = time.monotonic() + wait_s
    pause = _POLL_S
    while True:
        found = await asyncio.to_thread(engine.events, tenant_id, job_id, after=after)
        left = end - time.monotonic()
        if found or left <= 0:
            return found
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _MOST_POLL_S)


async def final_job(engine: Engine, tenant_id: str, job_id: str, wait_s: float) -> Job:
    """Waits until a job is final, or the time is over; returns it as it is then."""
    end = time.monotonic() + wait_s
    seen = 0
    while True:
        job = await asyncio.to_thread(engine.status, tenant_id, job_id)
        left = end - time.monotonic()
        if job.status.is_final or left <= 0:
            return job
        events = await events_after(engine, tenant_id, job_id, seen, left)
        seen = events[-1].seq if events else seen
