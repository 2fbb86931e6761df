"""What remains when a host dies, when submissions may fork, and when they may write."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from sandbox.box import Box
from sandbox.errors import RunEnded
from sandbox.limits import Limits
from sandbox.ops import Call
from sandbox.pool import open_pool

PROBE = (resources.files("sandbox") / "probe.py").read_bytes()
HOST = """
import sys, time
from sandbox.limits import Limits
from sandbox.ops import Call
from sandbox.pool import _open
from sandbox.box import Box
box = Box(_open(sys.argv[1], None).start(Limits()), Limits())
run = box.start(b"def f():\\n    while True: pass", "m", Limits(cpu_s=600))
run.load()
print("running", flush=True)
run.call(Call("f"))
"""


def descendants(pid):
    """Process ids below one process."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def sandbox_processes(backend, host):
    """Process ids of what a host has started in sandboxes."""
    if backend == "bwrap":
        return descendants(host)
    listed = subprocess.run(
        ["docker", "ps", "-q", "--filter", f"label=sandbox.pid={host}"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    inspect = ["docker", "inspect", "--format", "{{.State.Pid}}", *listed]
    pids = subprocess.run(inspect, capture_output=True, text=True, check=True).stdout.split()
    supervisors = {int(pid) for pid in pids}
    return supervisors.union(*map(descendants, supervisors))


def test_a_host_that_is_killed_takes_its_sandbox_along(pool):
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, pool.backend],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert host.stdout.readline() == b"running\n"
    started = sandbox_processes(pool.backend, host.pid)
    assert len(started) >= 2, "a supervisor and the child that spins"
    host.send_signal(signal.SIGKILL)
    host.wait()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in started) and time.monotonic() < deadline:
        time.sleep(0.05)  # nobody is left whom one could wait for
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]
    pool._backend.reap()
    # Where another reaper got hold of it first, its removal may still be under way.
    while _remains(pool.backend, host.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _remains(pool.backend, host.pid)


def test_reaping_is_not_stopped_by_a_container_that_vanishes_meanwhile():
    from sandbox.backends.docker import DockerBackend

    asked = {}

    class Containers:
        def list(self, **options):
            asked.update(options)
            return []

    backend = DockerBackend.__new__(DockerBackend)
    backend._client = type("Client", (), {"containers": Containers()})()
    assert backend.reap() == 0
    assert asked["ignore_removed"] is True


def _remains(backend, host):
    if backend == "bwrap":
        return list(Path("/sys/fs/cgroup/memory").glob(f"sandbox-{host}-*"))
    command = ["docker", "ps", "-aq", "--filter", f"label=sandbox.pid={host}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_sandboxes_work_side_by_side(pool):
    def use(number):
        source = f"def f():\n    return {number}\n".encode()
        with pool.lease() as lease, lease.start(source, "m", Limits()) as run:
            run.load()
            return run.call(Call("f")).value

    with ThreadPoolExecutor(4) as workers:
        assert list(workers.map(use, range(12))) == list(range(12))


def test_a_sandbox_outlives_the_thread_that_started_it(pool):
    with ThreadPoolExecutor(1) as workers:
        box = workers.submit(lambda: Box(pool._backend.start(Limits()), Limits())).result()
    with box, box.start(b"def f():\n    return 1\n", "m", Limits()) as run:
        run.load()
        assert run.call(Call("f")).value == 1


@pytest.fixture
def scratch(pool):
    """A pool whose sandboxes have a small writable /tmp."""
    limits = Limits(scratch_bytes=1 << 20)
    with open_pool(pool.backend, size=0, limits=limits) as opened:
        yield opened


def test_scratch_space_is_bounded_and_not_passed_on(scratch):
    assert any(
        proof.name == "disk" and "EFBIG" in proof.evidence for proof in scratch.proofs
    ) or any(proof.name == "disk" and "ENOSPC" in proof.evidence for proof in scratch.proofs)
    source = b"""
import os
def leave():
    open('/tmp/secret', 'w').write('x')
def find():
    return os.listdir('/tmp')
"""
    with scratch.lease() as lease:
        with lease.start(source, "m", scratch.limits) as run:
            run.load()
            run.call(Call("leave"))
            assert run.call(Call("find")).value == ["secret"]
        with lease.start(source, "m", scratch.limits) as run:
            run.load()
            assert run.call(Call("find")).value == []


def test_what_is_left_running_spoils_the_box(pool):
    source = b"""
import os, time
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    os.wait()
"""
    limits = replace(Limits(), threads=True)
    with pool.lease() as lease:
        with lease.start(source, "m", limits) as run:
            run.load()
            run.call(Call("daemon"))
        assert not run.clean
        first = lease._box
        with lease.start(source, "m", limits) as run:
            assert run.load().ok
        assert lease._box is not first


def test_memory_taken_in_a_fork_is_bounded_as_well(pool):
    if pool.accounting != "cgroup":
        pytest.skip("lifted where a control group can be written")
    source = (
        PROBE
        + b"""
def grab_in_fork(most):
    child = os.fork()
    if child == 0:
        grab(most)
        os._exit(0)
    return os.waitpid(child, 0)[1]
"""
    )
    small = Limits(memory_bytes=64 << 20)
    unfiltered = replace(small, threads=True)
    with (
        Box(pool._backend.start(small), small) as box,
        box.start(source, "m", unfiltered) as run,
        contextlib.suppress(RunEnded),  # the kernel may choose the parent
    ):
        run.load()
        assert run.call(Call("grab_in_fork", (1 << 30,))).value == signal.SIGKILL
