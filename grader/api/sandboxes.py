"""Whether submitted code can run: told from the processes that live and from this machine."""

import shutil
from functools import lru_cache
from pathlib import Path

from grader.engine.port import Health
from grader.engine.queues import Pool

_ALL = "all"
_DOCKER_SOCKET = Path("/var/run/docker.sock")


def runs_code(health: Health, pool: Pool) -> bool:
    """Whether some living process takes code of that pool.

    A process that serves all pools does where this machine has what confines code; whether that
    passes its self-check shows at the first job.
    """
    pools = {name for kind in health.executors for name in kind.split("+")}
    if pool.value in pools:
        return True
    return pool is Pool.SANDBOX_CPU and _ALL in pools and _has_backend()


@lru_cache(maxsize=1)
def _has_backend() -> bool:
    return shutil.which("bwrap") is not None or _DOCKER_SOCKET.exists()
