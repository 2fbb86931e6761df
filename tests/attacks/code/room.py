"""Where hostile submissions are graded: a pool, exercises full of canaries, and what must stay."""

import base64
import contextlib
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from grader.exercises.budget import WALL_EXTRA_S, WALL_FACTOR
from grader.exercises.checking import open_sandbox
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.lease import Pool
from grader.exercises.result import CheckResult, CodeVerdict, Reveal
from grader.exercises.seeds import suite_seed
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun
from sandbox.outcome import Outcome
from tests.attacks.code.corpus import CODING, EXERCISES, Attack, right

# Invariants that cost little and that the decoys fail; enough where speed matters.
FEW = {
    "block_manager": ("BM1", "BM7"),
    "kv_cache": ("KV1", "KV6"),
    "flash_attention": ("FA1", "FA4"),
}
SETTLE_S = 30.0
TEMPORARY = tempfile.gettempdir()


def part_of(exercise: Exercise, ids: tuple[str, ...], cpu_s: float) -> Exercise:
    """An exercise with some of its invariants under a smaller limit."""
    signals = [exercise.question.signal(name) for name in ids]
    kept = tuple(i for i in exercise.suite.invariants if i.id in ids)
    return replace(
        exercise,
        question=exercise.question.model_copy(update={"signals": tuple(signals)}),
        suite=replace(exercise.suite, invariants=kept, cpu_s=cpu_s),
    )


@dataclass(frozen=True)
class Left:
    """What a grader can leave behind on its machine: with bwrap or with Docker."""

    processes: int
    containers: int
    mounts: int
    groups: int
    files: tuple[str, ...]


@dataclass(frozen=True)
class Graded:
    """One attack, and how it came out.

    Attributes:
        bound_s: Wall seconds after which the suite must have ended.
    """

    attack: Attack
    result: CheckResult
    wall_s: float
    bound_s: float
    leaks: tuple[str, ...]

    def faults(self) -> list[str]:
        """What must not be; empty where the attack has failed."""
        found = [f"leaked {leak}" for leak in self.leaks]
        if self.result.verdict is CodeVerdict.CORRECT:
            found.append("verdict correct")
        if not self.attack.spoils and self.result.score > 0:
            passed = [i.id for i in self.result.invariants if i.passed]
            found.append(f"points for {', '.join(passed)}")
        if self.wall_s > self.bound_s:
            found.append(f"took {self.wall_s:.1f} s of {self.bound_s:.1f} s")
        if any(i.outcome is Outcome.INFRA_ERROR for i in self.result.invariants):
            found.append("was taken for a fault of ours")
        return found


class Room:
    """A pool on one backend, and exercises whose hidden parts carry canaries.

    Args:
        backend: ``docker`` or ``bwrap``.

    Raises:
        SandboxFaultError: The backend cannot be had.
    """

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self._stack = contextlib.ExitStack()
        with contextlib.ExitStack() as undo:
            undo.callback(self._stack.close)
            self.canaries = [f"CANARY-{secrets.token_hex(16)}" for _ in range(6)]
            self.secret = self.canaries[0].encode()
            self.folder = Path(tempfile.mkdtemp(prefix="attack-room-", dir=TEMPORARY))
            self._stack.callback(shutil.rmtree, self.folder)
            self.folder.chmod(0o711)
            self._own_files = self.folder / "temporary"
            self._own_files.mkdir(mode=0o711)
            self._roots: set[str] = set()
            self._hide_canaries()
            self.exercises = {name: self._loaded(name) for name in EXERCISES}
            self.before = self.left(None)
            largest = max(self.exercises.values(), key=lambda e: e.suite.memory_mib)
            self.pool: Pool = self._stack.enter_context(open_sandbox(largest, backend))
            self.idle = self.left(self.pool)
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _hide_canaries(self) -> None:
        """In environment and files of the host; the places end with the room."""
        self._stack.enter_context(_set(os.environ, "GRADER_SECRET", self.canaries[0]))
        self._stack.enter_context(_set(os.environ, "ATTACK_CANARY", self.canaries[1]))
        (self.folder / "secret.key").write_text(self.canaries[2])
        self._stack.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = str(self._own_files)

    def _loaded(self, name: str) -> Exercise:
        """A copy of an exercise with canaries in reference, checks and rubric."""
        folder = shutil.copytree(CODING / name, self.folder / name)
        for file, canary in (("reference.py", 3), ("invariants.py", 4)):
            with (folder / file).open("a") as text:
                text.write(f"\nCANARY = {self.canaries[canary]!r}  # {self.canaries[canary]}\n")
        with (folder / "question.yaml").open("a") as text:
            text.write(f"\n# {self.canaries[5]}\n")
        return load_exercise(folder)

    def grade(self, attack: Attack, *, whole: bool = False, cpu_s: float = 6.0) -> Graded:
        """Grades an attack.

        Args:
            attack: What is handed in.
            whole: With all invariants, limits and explanations, as a learner's file.
            cpu_s: Limit of the few invariants otherwise.
        """
        exercise = self.exercises[attack.exercise]
        reveal = Reveal.COUNTEREXAMPLES
        if not whole:
            few = (attack.against,) if attack.against else FEW[attack.exercise]
            limit = exercise.suite.cpu_s if attack.against else 2.0 if attack.slow else cpu_s
            exercise = part_of(exercise, few, limit)
            reveal = Reveal.NAMES if attack.slow else reveal
        started = time.monotonic()
        result = self._run(exercise, attack.source, reveal)
        wall_s = time.monotonic() - started
        bound_s = WALL_FACTOR * exercise.suite.cpu_s + WALL_EXTRA_S
        return Graded(attack, result, wall_s, bound_s, tuple(self._leaks(exercise, attack, result)))

    def honest(self, name: str) -> CheckResult:
        """Grades a right solution."""
        exercise = part_of(self.exercises[name], FEW[name], 30.0)
        return self._run(exercise, right(name), Reveal.NAMES)

    def _run(self, exercise: Exercise, source: bytes, reveal: Reveal) -> CheckResult:
        return SuiteRun(exercise, submission_of(source), self.pool, self.secret).result(reveal)

    def _leaks(self, exercise: Exercise, attack: Attack, result: CheckResult) -> Iterator[str]:
        tokens = submission_of(attack.source).token_digest
        seed = suite_seed(self.secret, exercise.version, tokens).root.hex()
        text = result.model_dump_json()
        for name in (*self.canaries, seed):
            raw = name.encode()
            forms = (name, name[::-1], raw.hex(), base64.b64encode(raw).decode())
            if any(form in text for form in forms):
                yield name

    def settled(self) -> Left:
        """What is there once the pool is ready again; what is on its way out gets its time."""
        return _awaited(self.idle, lambda: self.left(self.pool))

    def closed(self) -> Left:
        """What is there after everything was closed."""
        with contextlib.ExitStack() as keep:
            keep.callback(self._stack.close)
            closing = self.pool
            closing.close()
            return _awaited(self.before, lambda: self.left(None))

    def _mounts(self) -> int:
        """Mounts of sandboxes of ours; an engine mounts each container's root, others' too."""
        if self.backend == "docker" and (containers := _containers()):
            form = "{{.GraphDriver.Data.MergedDir}}"
            self._roots.update(_said(["docker", "inspect", "--format", form, *containers]))
        places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        return sum(p in self._roots or p.startswith(str(self.folder)) for p in places)

    def left(self, pool: Pool | None) -> Left:
        """What is there now."""
        if pool is not None:
            pool.wait_ready(SETTLE_S)
        docker = self.backend == "docker"
        groups = Path("/sys/fs/cgroup").glob(f"**/sandbox-{os.getpid()}-*")
        return Left(
            processes=0 if docker else len(_descendants(os.getpid())),
            containers=len(_containers()) if docker else 0,
            mounts=self._mounts(),
            groups=0 if docker else len(list(groups)),
            files=tuple(sorted(p.name.rsplit("-", 1)[0] for p in self._own_files.iterdir())),
        )


def _awaited(wanted: Left, look) -> Left:
    """Looks until it is as wanted, or long enough: nobody tells when a container is gone."""
    deadline = time.monotonic() + SETTLE_S
    while (found := look()) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@contextlib.contextmanager
def _set(mapping, key, value):
    before = mapping.get(key)
    mapping[key] = value
    try:
        yield
    finally:
        if before is None:
            del mapping[key]
        else:
            mapping[key] = before


def _descendants(pid: int) -> set[int]:
    """Process ids below one process."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name = path.parent.name
            parents[int(name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def _containers() -> list[str]:
    """Containers that this process has started, ended ones included."""
    if shutil.which("docker") is None:
        return []
    return _said(["docker", "ps", "-aq", "--filter", f"label=sandbox.pid={os.getpid()}"])


def _said(command: list[str]) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split()
