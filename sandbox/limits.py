"""The limits of a run, as one frozen value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final

MIB: Final = 1 << 20
_OVERHEAD: Final = 128 * MIB


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use; the numbers go into receipts.

    Args:
        cpu_s: CPU seconds (user plus system) of the run.
        wall_s: Wall seconds during which answers are due; None is four times `cpu_s`, at least 10.
        idle_s: Wall seconds without any CPU use while an answer is due.
        memory_bytes: Resident memory of the process.
        result_bytes: Raw array bytes of one reply, at most 128 MiB.
        output_bytes: Bytes of each of stdout and stderr that are kept.
        output_kill_bytes: Bytes printed in all, above which the run is killed.
        processes: Processes and threads in the whole sandbox.
        open_files: Descriptors of one process.
        scratch_bytes: Size of a writable /tmp; 0 is none at all.
        cpus: CPUs of the whole sandbox.
        threads: Whether the submission may have threads and processes; only for GPU work.
        bounded_address_space: Whether virtual memory is bounded too; CUDA cannot live with it.
    """

    cpu_s: float = 10.0
    wall_s: float | None = None
    idle_s: float = 5.0
    memory_bytes: int = 512 * MIB
    result_bytes: int = 16 * MIB
    output_bytes: int = 64 << 10
    output_kill_bytes: int = MIB
    processes: int = 32
    open_files: int = 256
    scratch_bytes: int = 0
    cpus: float = 1.0
    threads: bool = False
    bounded_address_space: bool = True

    def __post_init__(self) -> None:
        for name in ("cpu_s", "idle_s", "memory_bytes", "output_kill_bytes", "cpus"):
            value = getattr(self, name)
            if not value > 0 or math.isinf(value):
                raise ValueError(f"limit {name}={value!r} must be a positive finite number")
        if not 0 <= self.result_bytes <= 128 * MIB:
            raise ValueError(f"limit result_bytes={self.result_bytes} is outside 0..128 MiB")
        if self.open_files < 210:
            raise ValueError(f"limit open_files={self.open_files} is below 210")

    @property
    def wall(self) -> float:
        """Wall seconds, with the default worked out."""
        return max(4 * self.cpu_s, 10.0) if self.wall_s is None else self.wall_s

    @property
    def sandbox_bytes(self) -> int:
        """Memory of the whole sandbox: the run, the supervisor and what passes between them."""
        return self.memory_bytes + self.scratch_bytes + _OVERHEAD

    def with_cpu(self, cpu_s: float) -> Limits:
        """The same limits with another share of CPU time."""
        return replace(self, cpu_s=cpu_s)

    def orders(self) -> dict[str, Any]:
        """What the supervisor enforces, in its words."""
        return {
            "cpu_s": self.cpu_s,
            "wall_s": self.wall,
            "idle_s": self.idle_s,
            "memory": self.memory_bytes,
            "output_keep": self.output_bytes,
            "output_kill": self.output_kill_bytes,
        }

    @property
    def address_space(self) -> int | None:
        """Virtual memory beyond the worker's own: generous, since what is not touched is free."""
        return 2 * self.memory_bytes + 256 * MIB if self.bounded_address_space else None

    def rlimits(self) -> dict[str, int]:
        """What the kernel enforces on the child, beside the supervisor."""
        return {
            "core": 0,
            "cpu": math.ceil(self.cpu_s) + 1,
            "fsize": self.scratch_bytes,
            "nofile": self.open_files,
            "memlock": 0,
            "msgqueue": 0,
        }
