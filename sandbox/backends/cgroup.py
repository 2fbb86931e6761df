"""Control groups for sandboxes that no engine makes any for: version 1 and 2, where writable."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.limits import Limits

ROOT: Final = Path("/sys/fs/cgroup")
_PREFIX: Final = "sandbox-"
_PERIOD_US: Final = 100_000


@dataclass(frozen=True, slots=True)
class Groups:
    """Where control groups may be made.

    Args:
        memory: Parent directory for memory (version 2: for everything).
        pids: Parent directory for process counts.
        unified: Whether this is version 2.
    """

    memory: Path
    pids: Path
    unified: bool

    @classmethod
    def find(cls) -> Groups | None:
        """The parents, or None where no group can be made."""
        if (ROOT / "cgroup.controllers").exists():
            own = Path("/proc/self/cgroup").read_text("ascii").partition("::")[2].strip()
            parent = ROOT / own.lstrip("/")
            found = cls(parent, parent, unified=True)
        else:
            found = cls(ROOT / "memory", ROOT / "pids", unified=False)
        return found if found._works() else None

    def _works(self) -> bool:
        try:
            self.make(Limits()).remove()
        except OSError:
            return False
        return True

    def make(self, limits: Limits) -> Group:
        """A new group with a sandbox's limits.

        Raises:
            OSError: It is not allowed.
        """
        name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(6)}"
        paths = (self.memory / name,) if self.unified else (self.memory / name, self.pids / name)
        group = Group(paths, self.unified)
        try:
            for path in paths:
                path.mkdir()
            group.limit(limits)
        except OSError:
            group.remove()
            raise
        return group

    def reap(self) -> int:
        """Removes groups whose host is gone."""
        count = 0
        for parent in {self.memory, self.pids}:
            for path in parent.glob(f"{_PREFIX}*"):
                host = path.name.removeprefix(_PREFIX).partition("-")[0]
                if host.isdigit() and not Path(f"/proc/{host}").exists():
                    with contextlib.suppress(OSError):
                        path.rmdir()
                        count += 1
        return count


@dataclass(frozen=True, slots=True)
class Group:
    """One sandbox's control group: one directory, or one for each controller in version 1."""

    paths: tuple[Path, ...]
    unified: bool

    def limit(self, limits: Limits) -> None:
        """Writes the limits."""
        size = str(limits.sandbox_bytes)
        if self.unified:
            _write(self.paths[0] / "memory.max", size)
            _write(self.paths[0] / "memory.swap.max", "0", required=False)
            _write(self.paths[0] / "pids.max", str(limits.processes))
            quota = int(limits.cpus * _PERIOD_US)
            _write(self.paths[0] / "cpu.max", f"{quota} {_PERIOD_US}", required=False)
        else:
            _write(self.paths[0] / "memory.limit_in_bytes", size)
            _write(self.paths[0] / "memory.memsw.limit_in_bytes", size, required=False)
            _write(self.paths[1] / "pids.max", str(limits.processes))

    def entries(self) -> list[int]:
        """Open descriptors; whoever writes `0` into them moves in."""
        return [os.open(path / "cgroup.procs", os.O_WRONLY) for path in self.paths]

    def memory_kills(self) -> int:
        """How often the kernel killed in this group for want of memory."""
        name = "memory.events" if self.unified else "memory.oom_control"
        try:
            text = (self.paths[0] / name).read_text("ascii")
        except OSError:
            return 0
        counts = dict(line.split() for line in text.splitlines())
        return int(counts.get("oom_kill", 0))

    def remove(self) -> None:
        """Removes the directories; processes that are just dying are waited for."""
        for path in self.paths:
            for _ in range(200):
                try:
                    path.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.005)
                else:
                    break


def _write(path: Path, text: str, *, required: bool = True) -> None:
    try:
        path.write_text(text, "ascii")
    except OSError:
        if required:
            raise
