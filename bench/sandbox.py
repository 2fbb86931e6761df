"""What a verdict on code costs: warm, with an empty pool, in a cold container, in process.

All in one run on one machine. The same submission meets the same suite (block manager without its
invariant on cost) in this process without any sandbox, in the sandbox, and with pytest inside a
container of its own. Overhead is wall time over the run in process. Where a machine is shared, CPU
time and ratios say more than wall time; CPU time is the judge's and the submission's together.

    python -m bench.sandbox [--runs N] [--backend bwrap|docker]
"""

import argparse
import itertools
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench import _cold_docker
from bench._in_process import InProcessPool
from bench._part import FOLDER, part
from grader.exercises.lease import Pool
from grader.exercises.result import CheckResult, Reveal
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun
from sandbox.errors import SandboxUnavailable
from sandbox.limits import MIB, Limits
from sandbox.ops import Call
from sandbox.pool import open_pool

SECRET = b"the secret of this bench"
LIMITS = Limits(memory_bytes=256 * MIB)
WRONG = (
    "shared_block_written_in_place",
    "source_count_not_dropped",
    "boundary_one_token_off",
    "fork_shares_all_blocks",
    "failed_allocate_keeps_blocks",
    "can_append_ignores_sharing",
)
ECHO = b"def nothing(x):\n    return x\n"


def verdict(pool: Pool, source: bytes, reveal: Reveal = Reveal.NAMES) -> CheckResult:
    """One submission through the suite."""
    return SuiteRun(part(), submission_of(source), pool, SECRET).result(reveal)


class Figures:
    """Wall and CPU seconds of repeated runs."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def add(self, once: Callable[[], float]) -> None:
        """Times something; what it returns is CPU seconds spent in other processes."""
        wall, cpu = time.perf_counter(), time.process_time()
        elsewhere = once()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu + elsewhere)

    @property
    def p50(self) -> float:
        """Median wall seconds."""
        return statistics.median(self.wall)

    @property
    def p90(self) -> float:
        """Wall seconds that nine of ten runs stay under."""
        return sorted(self.wall)[min(int(0.9 * len(self.wall)), len(self.wall) - 1)]

    @property
    def cpu50(self) -> float:
        """Median CPU seconds."""
        return statistics.median(self.cpu)

    def __str__(self) -> str:
        return f"CPU p50 {self.cpu50:.3f} s; wall p50 {self.p50:.3f} s, p90 {self.p90:.3f} s"


def graded(pool: Pool, source: bytes, *, right: bool, reveal: Reveal = Reveal.NAMES) -> float:
    """Grades; gives the CPU seconds of the submission.

    Raises:
        SystemExit: The verdict is not what it must be.
    """
    result = verdict(pool, source, reveal)
    if (result.score == 100) is not right:
        raise SystemExit(f"unexpected verdict {result.verdict} on {pool.backend}")
    return 0.0 if isinstance(pool, InProcessPool) else sum(i.cpu_s for i in result.invariants)


def target(name: str, value: float, bound: float, unit: str, *, least: bool = False) -> None:
    """Prints a figure beside its target."""
    held = value >= bound if least else value <= bound
    sign = ">=" if least else "<="
    print(f"  {name}: {value:.3g} {unit} (target {sign} {bound:g}) {'' if held else 'MISSED'}")


def verdicts(backend: str, runs: int, right: bytes, cold: Callable[[], float] | None) -> None:
    """Right and wrong submissions every way in turn, so that all meet the same load."""
    inside = InProcessPool()
    names = ("in process", "warm pool", "empty pool", "cold", "wrong")
    found = {name: Figures() for name in names}
    sources = itertools.cycle((FOLDER / "mutants" / f"{name}.py").read_bytes() for name in WRONG)
    with (
        open_pool(backend, limits=LIMITS) as pool,
        open_pool(backend, size=0, limits=LIMITS) as bare,
    ):
        graded(inside, right, right=True)
        for _ in range(runs):
            found["in process"].add(lambda: graded(inside, right, right=True))
            pool.wait_ready()
            found["warm pool"].add(lambda: graded(pool, right, right=True))
            found["empty pool"].add(lambda: graded(bare, right, right=True))
            pool.wait_ready()
            found["wrong"].add(lambda: explained(pool, next(sources)))
            if cold is not None:
                found["cold"].add(cold)
        idle_memory(pool)
    for name, figures in found.items():
        if figures.wall:
            print(f"{name}: {figures}")
    _compare(found)


def explained(pool: Pool, wrong: bytes) -> float:
    """Grades a wrong submission with the search for counter-examples."""
    return graded(pool, wrong, right=False, reveal=Reveal.COUNTEREXAMPLES)


def _compare(found: dict[str, Figures]) -> None:
    inside, warm, empty = (found[n] for n in ("in process", "warm pool", "empty pool"))
    over = warm.p50 - inside.p50
    print(
        f"  CPU of a warm verdict over the same in process: {warm.cpu50 / inside.cpu50:.2f} times"
    )
    target("overhead, warm", over, 0.25, "s")
    target("overhead, pool empty", empty.p50 - inside.p50, 0.9, "s")
    if found["cold"].wall:
        share = over / (found["cold"].p50 - inside.p50)
        target("overhead, warm, as a share of the cold container's", share, 0.2, "")
    target("right submission, p50", warm.p50, 0.6, "s")
    target("right submission, p90", warm.p90, 0.9, "s")
    target("wrong submission with counter-examples, p50", found["wrong"].p50, 3, "s")


def wire(backend: str) -> None:
    """What crossing costs, in CPU time of both sides and in wall time."""
    ops = [Call("nothing", (7,)) for _ in range(5000)]
    array = np.random.default_rng(0).standard_normal(1 << 14, np.float32)
    arrays = [Call("nothing", (array,)) for _ in range(200)]
    with (
        open_pool(backend, limits=LIMITS) as pool,
        pool.lease() as box,
        box.start(ECHO, "echo", Limits(cpu_s=60, memory_bytes=LIMITS.memory_bytes)) as run,
    ):
        run.load()
        run.trace(ops)
        cpu, wall = _each(lambda: run.trace(ops).reading.cpu_s, len(ops))
        print(f"operation in a trace: CPU of both sides {cpu:.1f} µs, wall {wall:.1f} µs")
        target("operation in a trace, CPU", cpu, 10, "µs")
        cpu, wall = _each(lambda: run.trace(arrays).reading.cpu_s, len(arrays))
        print(f"64 KiB array there and back in a trace: CPU {cpu:.0f} µs, wall {wall:.0f} µs")
        target("64 KiB array, CPU", cpu, 200, "µs")
        cpu, wall = _each(lambda: sum(run.call(op).reading.cpu_s for op in arrays), len(arrays))
        print(f"64 KiB array there and back in lock-step: CPU {cpu:.0f} µs, wall {wall:.0f} µs")


def _each(once: Callable[[], float], count: int) -> tuple[float, float]:
    """Microseconds of CPU and wall for each of `count`, median of some rounds."""
    figures = Figures()
    for _ in range(9):
        figures.add(once)
    return figures.cpu50 / count * 1e6, figures.p50 / count * 1e6


def throughput(backend: str, runs: int, right: bytes) -> None:
    """Verdicts a second of two workers with a pool each."""
    ready, begin = multiprocessing.Barrier(3), multiprocessing.Barrier(3)
    arguments = (backend, runs, right, ready, begin)
    workers = [multiprocessing.Process(target=_worker, args=arguments) for _ in range(2)]
    for worker in workers:
        worker.start()
    ready.wait()
    begin.wait()
    started = time.perf_counter()
    for worker in workers:
        worker.join()
    rate = 2 * runs / (time.perf_counter() - started)
    target(f"throughput of 2 workers on {os.cpu_count()} CPUs", rate, 3, "/s", least=True)


def _worker(backend: str, runs: int, right: bytes, ready, begin) -> None:
    with open_pool(backend, limits=LIMITS) as pool:
        graded(pool, right, right=True)
        pool.wait_ready()
        ready.wait()
        begin.wait()
        for _ in range(runs):
            graded(pool, right, right=True)


def idle_memory(pool: Pool) -> None:
    """Prints what a started sandbox holds while nobody uses it."""
    pool.wait_ready()
    pids = [int(p.name) for p in Path("/proc").glob("[0-9]*") if _is_supervisor(p)]
    own = [_proportional_mib(pid) for pid in pids if _belongs(pid, pool)]
    if own:
        print(f"idle sandbox: {max(own):.0f} MiB, proportional share (engine's own not counted)")


def _is_supervisor(process: Path) -> bool:
    try:
        return b"guest/main.py" in (process / "cmdline").read_bytes()
    except OSError:
        return False


def _belongs(pid: int, pool: Pool) -> bool:
    """Whether a supervisor was started by this process: directly, or in a container of its."""
    box = pool._ready[0]._started
    if hasattr(box, "_container"):
        box._container.reload()
        return pid in _below(box._container.attrs["State"]["Pid"])
    return pid in _below(os.getpid())


def _below(pid: int) -> set[int]:
    found, added = {pid}, {pid}
    while added:
        added = {
            int(p.parent.name) for p in Path("/proc").glob("[0-9]*/stat") if _parent(p) in added
        }
        found |= added
    return found


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _proportional_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


@contextmanager
def cold_image() -> Iterator[bool]:
    """Builds the image for cold runs; False where there is no engine."""
    import docker

    try:
        client = docker.from_env()
        client.ping()
    except docker.errors.DockerException as error:
        print(f"no Docker here, so no cold container to compare with: {error}")
        yield False
        return
    _cold_docker.build(client)
    try:
        yield True
    finally:
        client.images.remove(_cold_docker.TAG, force=True)
        client.close()


def main() -> None:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--backend", choices=("bwrap", "docker"))
    chosen = parser.parse_args()
    right = (FOLDER / "reference.py").read_bytes()
    print(
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs, {chosen.runs} runs each"
    )
    with cold_image() as built, tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "block_manager.py"
        file.write_bytes(right)
        cold = (lambda: _cold_docker.grade(file)) if built else None
        for backend in (chosen.backend,) if chosen.backend else ("bwrap", "docker"):
            print(f"\n{backend}")
            try:
                verdicts(backend, chosen.runs, right, cold)
                wire(backend)
                throughput(backend, chosen.runs, right)
            except SandboxUnavailable as error:
                print(f"not measured: {error}")
    print(f"\nload average {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
