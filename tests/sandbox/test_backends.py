"""What every backend must hold, tried from inside."""

import os
import subprocess
import time
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from sandbox.errors import RunEnded
from sandbox.limits import Limits
from sandbox.ops import Call, New
from sandbox.outcome import Outcome
from sandbox.selfcheck import DENIED_CALLS
from sandbox.syscalls import TABLES

PROBE = (resources.files("sandbox") / "probe.py").read_bytes()
AF = {"AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17, "AF_VSOCK": 40}


@pytest.fixture(scope="session")
def unfiltered(pool):
    """The probe in a process that has not denied anything to itself: only the walls are left."""
    limits = replace(pool.limits, threads=True)
    with pool.lease() as lease, lease.start(PROBE, "probe", limits) as run:
        assert run.load().ok
        yield run


def ask(run, name, *arguments):
    observation = run.call(Call(name, arguments))
    assert observation.raised is None, observation.raised
    return observation.value


def test_the_self_check_says_what_it_proved(pool):
    proved = {proof.name for proof in pool.proofs}
    assert proved >= {
        "network",
        "memory",
        "processes",
        "disk",
        "read-only root",
        "capabilities",
        "seccomp",
        "supervisor",
        "cpu time",
    }
    assert all(proof.evidence for proof in pool.proofs)
    assert pool.image_digest.startswith("sha256:")


@pytest.mark.parametrize("name", DENIED_CALLS)
def test_a_system_call_is_denied_to_the_whole_sandbox(unfiltered, name):
    number = TABLES["x86_64"][name]
    assert ask(unfiltered, "system_call", number, DENIED_CALLS[name]) == "EPERM"


@pytest.mark.parametrize("family", AF)
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_a_socket_family_is_denied_to_the_whole_sandbox(unfiltered, family, kind):
    number = TABLES["x86_64"]["socket"]
    assert ask(unfiltered, "system_call", number, (AF[family], kind, 0)) == "EPERM"


def test_clone3_is_said_to_be_missing_so_that_libraries_fall_back(unfiltered):
    assert ask(unfiltered, "system_call", TABLES["x86_64"]["clone3"], (0, 0)) == "ENOSYS"


def test_the_x32_calls_are_denied(pool):
    number = 0x40000000 | TABLES["x86_64"]["getpid"]
    with pool.lease() as lease, lease.start(PROBE, "probe", replace(Limits(), threads=True)) as run:
        run.load()
        try:
            assert ask(run, "system_call", number, ()) == "EPERM"
        except RunEnded as ended:  # libseccomp kills for a foreign architecture
            assert "SIGSYS" in ended.detail


def test_only_the_loopback_interface_exists(unfiltered):
    assert set(ask(unfiltered, "interfaces")) <= {"lo"}


def test_nothing_of_the_host_is_in_the_environment(box, monkeypatch):
    monkeypatch.setenv("CANARY", "host-secret")
    source = b"import os\ndef f():\n    return dict(os.environ)\n"
    with box.start(source, "m", Limits()) as run:
        run.load()
        environment = ask(run, "f")
    assert set(environment) <= {
        "PATH",
        "HOME",
        "HOSTNAME",
        "LANG",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "PYTHONHASHSEED",
        "PYTHONPATH",
        "SANDBOX_PRELOAD",
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "PWD",
        "SHLVL",
    }


def test_no_test_framework_is_inside(box):
    source = b"""
import importlib.util
def f(names):
    return [name for name in names if importlib.util.find_spec(name)]
"""
    names = ("pytest", "hypothesis", "grader", "pip", "docker", "sandbox.selfcheck", "numpy")
    with box.start(source, "m", Limits()) as run:
        run.load()
        assert ask(run, "f", names) == ["numpy"]


def test_only_the_supervisor_and_the_child_are_there(box):
    source = b"import os\ndef f():\n    return [n for n in os.listdir('/proc') if n.isdigit()]\n"
    with box.start(source, "m", Limits()) as run:
        run.load()
        seen = ask(run, "f")
    assert len(seen) == 2
    assert "1" in seen


def test_descriptors_are_the_three_streams_and_the_link(box):
    source = b"""
import os
def f():
    found = {}
    for number in range(300):
        try:
            found[number] = os.readlink(f'/proc/self/fd/{number}')
        except OSError:
            try:
                os.fstat(number)
                found[number] = '?'
            except OSError:
                pass
    return list(found)
"""
    with box.start(source, "m", Limits()) as run:
        run.load()
        assert set(ask(run, "f")) <= {0, 1, 2, 3}


def test_runs_of_one_submission_share_nothing(box):
    source = b"""
import os
seen = []
def f():
    seen.append(1)
    return len(seen), os.getpid()
"""
    pids = set()
    for _ in range(3):
        with box.start(source, "m", Limits()) as run:
            run.load()
            count, pid = ask(run, "f")
            assert count == 1
            pids.add(pid)
    assert len(pids) == 3, "the same sandbox, fresh processes"


def test_cpu_time_is_the_childs_alone(box):
    source = b"""
import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
def rest(seconds):
    time.sleep(seconds)
"""
    with box.start(source, "m", Limits()) as run:
        run.load()
        burnt = run.call(Call("burn", (0.3,))).reading
        rested = run.call(Call("rest", (0.3,))).reading
    assert 0.3 <= burnt.cpu_s < 0.5
    assert rested.cpu_s < 0.05
    assert rested.wall_s >= 0.3


def test_memory_growth_is_seen_from_outside(box):
    source = b"""
import numpy as np
def f(mebibytes):
    return int(np.ones(mebibytes << 20, np.uint8)[-1])
"""
    with box.start(source, "m", Limits(memory_bytes=200 << 20)) as run:
        run.load()
        run.call(Call("f", (1,)))
        growth = run.call(Call("f", (64,))).reading.growth
    assert 63 << 20 <= growth < 72 << 20


def test_a_blas_product_runs_on_one_thread(box):
    source = b"""
import os
import numpy as np
def f(a):
    a @ a
    return len(os.listdir('/proc/self/task'))
"""
    with box.start(source, "m", Limits()) as run:
        run.load()
        assert ask(run, "f", np.ones((400, 400))) == 1


def test_large_arrays_cross_both_ways(box):
    source = b"def f(a):\n    return a + 1\n"
    array = np.arange(6 << 20, dtype=np.float32)
    with box.start(source, "m", Limits(result_bytes=64 << 20)) as run:
        run.load()
        assert np.array_equal(ask(run, "f", array), array + 1)


def test_a_spoilt_box_is_replaced_within_the_lease(box):
    source = (
        b"import os\ndef f():\n    os.write(3, b'x' * 64)\n    return 1\ndef g():\n    return 2\n"
    )
    with box.start(source, "m", Limits()) as run:
        run.load()
        with pytest.raises(RunEnded) as caught:
            run.call(Call("f"))
        assert caught.value.outcome is Outcome.PROTOCOL_ERROR
    with box.start(source, "m", Limits()) as run:
        run.load()
        assert ask(run, "g") == 2


def test_nothing_is_left_behind(pool):
    assert pool.wait_ready()
    before = _traces(pool)
    for _ in range(3):
        with pool.lease() as lease, lease.start(b"x = 1", "m", Limits()) as run:
            run.load()
    assert pool.wait_ready()
    deadline = time.monotonic() + 30
    while _traces(pool) > before and time.monotonic() < deadline:
        time.sleep(0.05)  # the engine removes in the background and offers nothing to await
    assert _traces(pool) <= before


def _traces(pool):
    """Containers and control groups that exist because of this process."""
    count = len(list(Path("/sys/fs/cgroup/memory").glob(f"sandbox-{os.getpid()}-*")))
    if pool.backend == "docker":
        listed = subprocess.run(
            ["docker", "ps", "-aq", "--filter", f"label=sandbox.pid={os.getpid()}"],
            capture_output=True,
            text=True,
            check=True,
        )
        count += len(listed.stdout.split())
    return count


def test_a_class_works_end_to_end(box):
    source = b"""
class Stack:
    def __init__(self):
        self.items = []
    def push(self, x):
        self.items.append(x)
        return list(self.items)
"""
    with box.start(source, "stack", Limits()) as run:
        assert run.load().names["Stack"].members["push"].kind == "function"
        result = run.trace([New("s", "Stack"), *[Call("push", (i,), on="s") for i in range(3)]])
    assert [o.value for o in result.observations] == [None, [0], [0, 1], [0, 1, 2]]
