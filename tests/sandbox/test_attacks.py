"""Hostile submissions against the worker, the wire and the supervisor, on every backend.

Each ends in the outcome that is charged to the submission, within its limits, and the next run of
the same lease works.
"""

import time
from dataclasses import replace

import pytest

from sandbox.errors import RunEnded
from sandbox.limits import Limits
from sandbox.observation import Kind
from sandbox.ops import Call
from sandbox.outcome import Outcome

LIMITS = Limits(cpu_s=1.0, wall_s=60.0, idle_s=1.0, memory_bytes=128 << 20)

# How an attack on one call may end the run: the first word is what is expected.
ENDS = {
    "exit status 0": ("import os\ndef f():\n    os._exit(0)", Outcome.KILLED),
    "posix exit": ("import posix\ndef f():\n    posix._exit(0)", Outcome.KILLED),
    "kills itself": ("import os\ndef f():\n    os.kill(os.getpid(), 9)", Outcome.KILLED),
    "aborts": ("import os\ndef f():\n    os.abort()", Outcome.KILLED),
    "crashes": ("import ctypes\ndef f():\n    ctypes.string_at(0)", Outcome.KILLED),
    "stops itself": ("import os\ndef f():\n    os.kill(os.getpid(), 19)", Outcome.TIMEOUT),
    "sleeps": ("import time\ndef f():\n    time.sleep(1000)", Outcome.TIMEOUT),
    "sleeps in slices": (
        "import time\ndef f():\n    while True:\n        time.sleep(0.01)",
        Outcome.TIMEOUT,
    ),
    "spins": ("def f():\n    while True:\n        pass", Outcome.TIMEOUT),
    "spins in C": ("import re\ndef f():\n    re.match('(a+)+$', 'a' * 40 + 'b')", Outcome.TIMEOUT),
    "spins deaf to signals": (
        "import signal\ndef f():\n    for n in range(1, 65):\n        try:\n"
        "            signal.signal(n, signal.SIG_IGN)\n        except (OSError, ValueError):\n"
        "            pass\n    while True:\n        pass",
        Outcome.TIMEOUT,
    ),
    "takes memory": (
        "def f():\n    x = []\n    while True:\n        x.append(bytearray(b'x') * (1 << 20))",
        Outcome.MEMORY_LIMIT,
    ),
    "takes memory in numpy": (
        "import numpy as np\ndef f():\n    return [np.ones(1 << 17) for _ in range(10000)]",
        Outcome.MEMORY_LIMIT,
    ),
    "swallows memory errors": (
        "def f():\n    x = []\n    while True:\n        try:\n"
        "            x.append(bytearray(b'x') * (1 << 20))\n        except MemoryError:\n"
        "            pass",
        Outcome.MEMORY_LIMIT,
    ),
    "floods stdout": ("def f():\n    while True:\n        print('x' * 4096)", Outcome.KILLED),
    "floods stderr": (
        "import os\ndef f():\n    while True:\n        os.write(2, b'x' * 65536)",
        Outcome.KILLED,
    ),
    "closes the link": ("import os\ndef f():\n    os.close(3)", Outcome.KILLED),
    "closes the link and lives": (
        "import os\ndef f():\n    os.closerange(0, 100)\n    while True:\n        pass",
        Outcome.PROTOCOL_ERROR,
    ),
    "writes rubbish": (
        "import os\ndef f():\n    os.write(3, b'\\0' * 100)",
        Outcome.PROTOCOL_ERROR,
    ),
    "writes to all descriptors": (
        "import os\ndef f():\n    for n in range(64):\n        try:\n"
        "            os.write(n, b'PASSED' * 20)\n        except OSError:\n            pass",
        Outcome.PROTOCOL_ERROR,
    ),
    "claims a huge frame": (
        "import os, struct\ndef f():\n"
        "    os.write(3, struct.pack('<IIII', 0x31445247, 100, 2**31, 0))",
        Outcome.PROTOCOL_ERROR,
    ),
    "claims a huge header": (
        "import os, struct\ndef f():\n"
        "    os.write(3, struct.pack('<IIII', 0x31445247, 2**31, 0, 0))",
        Outcome.PROTOCOL_ERROR,
    ),
    "answers half and hangs": (
        "import os, struct, time\ndef f():\n"
        "    os.write(3, struct.pack('<IIII', 0x31445247, 64, 0, 0) + b'[')\n    time.sleep(100)",
        Outcome.TIMEOUT,
    ),
    "answers with the wrong nonce": (
        'import os, struct\ndef f():\n    body = b\'["00",2,[["v",1]]]\'.ljust(64)\n'
        "    os.write(3, struct.pack('<IIII', 0x31445247, 64, 0, 0) + body)\n    os._exit(0)",
        Outcome.PROTOCOL_ERROR,
    ),
    "sends frames without end": (
        "import os, struct\ndef f():\n    body = b'[\"00\",2,[]]'.ljust(64)\n    while True:\n"
        "        os.write(3, struct.pack('<IIII', 0x31445247, 64, 0, 1) + body)",
        Outcome.PROTOCOL_ERROR,
    ),
    "steals the next request": (
        "import os\ndef f():\n    os.read(3, 1000)",
        Outcome.TIMEOUT,
    ),
}

HARMLESS = {
    "raises SystemExit": ("import sys\ndef f():\n    sys.exit(0)", "SystemExit"),
    "raises KeyboardInterrupt": ("def f():\n    raise KeyboardInterrupt", "KeyboardInterrupt"),
    "raises BaseException": ("def f():\n    raise BaseException('x')", "BaseException"),
    "recurses": ("def f():\n    return f()", "RecursionError"),
    "forks": ("import os\ndef f():\n    os.fork()", "PermissionError"),
    "runs a program": (
        "import subprocess\ndef f():\n    subprocess.run(['/bin/true'])",
        "OSError",
    ),
    "executes": (
        "import os, sys\ndef f():\n    os.execv(sys.executable, ['python'])",
        "PermissionError",
    ),
    "starts a thread": (
        "import threading\ndef f():\n    threading.Thread(target=print).start()",
        "RuntimeError",
    ),
    "uses a pool": (
        "import multiprocessing\ndef f():\n    multiprocessing.Pool(1)",
        "OSError",
    ),
    "opens a socket": ("import socket\ndef f():\n    socket.socket()", "PermissionError"),
    "looks up a name": (
        "import socket\ndef f():\n    socket.getaddrinfo('example.org', 80)",
        "OSError",
    ),
    "sets a timer": (
        "import signal\ndef f():\n    signal.setitimer(signal.ITIMER_REAL, 0.01)",
        "OSError",
    ),
    "writes a file": ("def f():\n    open('/tmp/x', 'w')", "OSError"),
    "writes into the guest": (
        "def f():\n    open('/opt/guest/sandbox/wire.py', 'w')",
        "OSError",
    ),
    "writes to shared memory": ("def f():\n    open('/dev/shm/x', 'w')", "OSError"),
    "reads the supervisor's memory": ("def f():\n    open('/proc/1/mem', 'rb')", "PermissionError"),
    "reads the supervisor's environment": (
        "def f():\n    open('/proc/1/environ', 'rb')",
        "PermissionError",
    ),
    "takes the supervisor's descriptors": (
        "import os\ndef f():\n    os.listdir('/proc/1/fd')",
        "PermissionError",
    ),
    "resets the memory peak": (
        "def f():\n    open('/proc/self/clear_refs', 'w')",
        "PermissionError",
    ),
    "limits the supervisor": (
        "import resource\ndef f():\n    resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))",
        "PermissionError",
    ),
    "makes itself dumpable": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\ndef f():\n"
        "    for option in (4, 4 | 1 << 32):\n"
        "        if libc.syscall(157, ctypes.c_long(option), 1, 0, 0, 0) == 0:\n"
        "            return 'dumpable'\n    open('/proc/self/clear_refs', 'w')",
        "PermissionError",
    ),
    "has an exception that lies": (
        "class E(Exception):\n    def __str__(self):\n        raise SystemExit\n"
        "def f():\n    raise E",
        "E",
    ),
    "asks for ten gigabytes": ("def f():\n    bytearray(10 << 30)", "MemoryError"),
    "fills the descriptors": (
        "import os\ndef f():\n    x = []\n    while True:\n        x.append(os.open('/', 0))",
        "OSError",
    ),
}

FOLLOWING = b"\ndef honest():\n    return 42\n"


def next_run_is_honest(box, source):
    with box.start(source, "m", LIMITS) as run:
        assert run.load().ok
        assert run.call(Call("honest")).value == 42


@pytest.mark.parametrize("name", ENDS)
def test_an_attack_ends_its_own_run_only(box, name):
    text, outcome = ENDS[name]
    source = text.encode() + FOLLOWING
    started = time.monotonic()
    # Only this one lives until the wall limit; the others must not feel a busy machine.
    limits = replace(LIMITS, wall_s=3.0) if name == "sleeps in slices" else LIMITS
    with box.start(source, "m", limits) as run:
        assert run.load().ok
        with pytest.raises(RunEnded) as caught:
            for _ in range(3):
                run.call(Call("f"))
    assert caught.value.outcome is outcome, caught.value
    assert run.report.outcome is outcome
    assert time.monotonic() - started < LIMITS.wall + LIMITS.idle_s + 10
    next_run_is_honest(box, source)


@pytest.mark.parametrize("name", HARMLESS)
def test_an_attack_is_refused_and_observed(box, name):
    text, kind = HARMLESS[name]
    source = text.encode() + FOLLOWING
    with box.start(source, "m", LIMITS) as run:
        assert run.load().ok
        observation = run.call(Call("f"))
        assert observation.kind is Kind.RAISED
        assert kind == observation.raised.type_name or observation.raised.is_a(kind)
        assert run.call(Call("honest")).value == 42
    assert run.report.outcome is None


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("import os\nos._exit(0)", Outcome.KILLED),
        ("while True: pass", Outcome.TIMEOUT),
        ("import time\ntime.sleep(99)", Outcome.TIMEOUT),
        ("x = [bytearray(b'x') * (1 << 20) for _ in range(4096)]", Outcome.MEMORY_LIMIT),
        ("while True: print('x' * 9999)", Outcome.KILLED),
        ("import os\nos.write(3, b'[]' * 50)", Outcome.PROTOCOL_ERROR),
    ],
)
def test_an_attack_at_import_ends_the_run(box, text, outcome):
    with box.start(text.encode(), "m", LIMITS) as run, pytest.raises(RunEnded) as caught:
        run.load()
    assert caught.value.outcome is outcome, caught.value


def test_exit_handlers_are_never_run(box):
    source = b"""
import atexit, os
atexit.register(lambda: os.write(3, b'PASSED' * 20))
def f():
    return 1
"""
    with box.start(source, "m", LIMITS) as run:
        run.load()
        assert run.call(Call("f")).value == 1
    assert run.report.outcome is None


def test_a_reply_sent_ahead_of_its_request_voids_the_run(box):
    source = b"""
import os, struct, sys
def f():
    frame = sys._getframe()
    while 'frame' not in frame.f_locals or not hasattr(frame.f_locals['frame'], 'nonce'):
        frame = frame.f_back
    request = frame.f_locals['frame']
    body = ('["%s",%d,[["v",1]]]' % (request.nonce, request.sequence)).encode().ljust(64)
    os.write(3, struct.pack('<IIII', 0x31445247, len(body), 0, 0) + body)
    return 2
"""
    with box.start(source, "m", LIMITS) as run:
        run.load()
        with pytest.raises(RunEnded) as caught:
            # The forged answer is well formed; the worker's own is one too many.
            for _ in range(3):
                run.call(Call("f"))
    assert caught.value.outcome is Outcome.PROTOCOL_ERROR


def test_signals_do_not_reach_the_supervisor(box):
    source = (
        b"""
import os
def f():
    for number in range(1, 65):
        for process in (1, -1):
            try:
                os.kill(process, number)
            except OSError:
                pass
    return 1
"""
        + FOLLOWING
    )
    with box.start(source, "m", LIMITS) as run:
        run.load()
        try:
            run.call(Call("f"))
        except RunEnded as ended:
            assert ended.outcome in (Outcome.KILLED, Outcome.TIMEOUT)
    next_run_is_honest(box, source)


def test_printing_exactly_the_limit_is_allowed(box):
    source = b"import os\ndef f(n):\n    for _ in range(n):\n        os.write(1, b'x' * 1024)\n"
    with box.start(source, "m", LIMITS) as run:
        run.load()
        run.call(Call("f", (1024,)))
        with pytest.raises(RunEnded):
            run.call(Call("f", (1,)))
    assert run.report.outcome is Outcome.KILLED
    assert run.report.stdout == "x" * LIMITS.output_bytes
    assert run.report.output_cut


def test_the_limit_of_cpu_time_is_for_the_whole_run(box):
    source = b"""
import time
def f():
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
"""
    with box.start(source, "m", LIMITS) as run:
        run.load()
        with pytest.raises(RunEnded) as caught:
            for _ in range(10):
                run.call(Call("f"))
    assert caught.value.outcome is Outcome.TIMEOUT
    assert 1.0 <= run.report.cpu_s < 1.5


def test_ballast_is_visible(box):
    source = b"""
import numpy as np
ballast = [np.ones(8 << 20, np.uint8)]
def f():
    ballast.clear()
    return float(np.ones(8 << 20, np.uint8)[0])
"""
    with box.start(source, "m", LIMITS) as run:
        run.load()
        reading = run.call(Call("f")).reading
    assert reading.growth < 4 << 20, "memory that was held before hides what the call takes"
    assert reading.rss_before - reading.rss_fork >= 8 << 20, "but it shows here"
