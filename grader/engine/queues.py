"""Queues, their limits, and the pools of processes that serve them.

Every workflow goes through one of these, the live ones too: one that was started without a queue
would be taken up again on a queue that all pools serve.
"""

import os
from dataclasses import dataclass
from enum import StrEnum


class QueueName(StrEnum):
    """Where jobs wait."""

    LIVE = "live"
    JUDGE = "judge"
    CODE = "code"
    REGRADE = "regrade"
    SANDBOX_CPU = "sandbox-cpu"
    SANDBOX_GPU = "sandbox-gpu"
    WEBHOOK = "webhook"


class Pool(StrEnum):
    """A kind of process; each serves its queues and no others."""

    LIVE = "live"
    BULK = "bulk"
    SANDBOX_CPU = "sandbox-cpu"
    SANDBOX_GPU = "sandbox-gpu"
    WEBHOOK = "webhook"


@dataclass(frozen=True)
class QueuePolicy:
    """Limits of one queue.

    Attributes:
        per_worker: Jobs at once in one process; with the poll it caps the throughput, so it is
            large where a job only waits.
        per_tenant: Jobs at once of one tenant, over all processes.
        poll_s: How often a process looks.
        priority: Of a job unless its order says otherwise; 1 comes first.
    """

    name: QueueName
    per_worker: int
    per_tenant: int
    poll_s: float
    priority: int


SERVES: dict[Pool, tuple[QueueName, ...]] = {
    Pool.LIVE: (QueueName.LIVE,),
    Pool.BULK: (QueueName.JUDGE, QueueName.CODE, QueueName.REGRADE),
    Pool.SANDBOX_CPU: (QueueName.SANDBOX_CPU,),
    Pool.SANDBOX_GPU: (QueueName.SANDBOX_GPU,),
    Pool.WEBHOOK: (QueueName.WEBHOOK,),
}

LIVE_TTL_S = 6.0
TTL_S = 15.0
BEAT_S = 3.0
LIVE_BEAT_S = 1.0


def policies(cores: int | None = None) -> tuple[QueuePolicy, ...]:
    """The limits of all queues.

    Args:
        cores: Of a process that runs sandboxes; as many as the machine has where None.
    """
    boxes = cores or os.cpu_count() or 1
    return (
        QueuePolicy(QueueName.LIVE, per_worker=32, per_tenant=16, poll_s=0.1, priority=5),
        QueuePolicy(QueueName.JUDGE, per_worker=64, per_tenant=32, poll_s=0.1, priority=100),
        QueuePolicy(QueueName.CODE, per_worker=128, per_tenant=64, poll_s=0.2, priority=100),
        QueuePolicy(QueueName.REGRADE, per_worker=8, per_tenant=4, poll_s=0.5, priority=1000),
        QueuePolicy(
            QueueName.SANDBOX_CPU,
            per_worker=boxes,
            per_tenant=max(boxes // 2, 1),
            poll_s=0.2,
            priority=100,
        ),
        QueuePolicy(QueueName.SANDBOX_GPU, per_worker=1, per_tenant=1, poll_s=0.5, priority=100),
        QueuePolicy(QueueName.WEBHOOK, per_worker=32, per_tenant=4, poll_s=0.5, priority=100),
    )


def served_by(pools: tuple[Pool, ...]) -> tuple[QueueName, ...]:
    """The queues that a process of these pools listens to."""
    return tuple(dict.fromkeys(name for pool in pools for name in SERVES[pool]))
