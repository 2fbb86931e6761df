"""Lending, replacing and giving up, with a backend that fails on demand."""

import os

import pytest

from sandbox.circuit import COOL_DOWN_S, FAILURES, Circuit
from sandbox.errors import InfraError, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.ops import Call
from sandbox.pool import Pool, open_pool
from sandbox.testing import _TrustedBackend, trusted_pool

SOURCE = b"import os\ndef f():\n    return os.getppid()\n"


class Flaky(_TrustedBackend):
    """Starts fail while `failures` is above zero."""

    def __init__(self, failures=0):
        self.failures = failures
        self.started = []

    def start(self, limits):
        if self.failures > 0:
            self.failures -= 1
            raise InfraError("the engine is ill")
        self.started.append(super().start(limits))
        return self.started[-1]


def supervisor(lease):
    with lease.start(SOURCE, "m", Limits()) as run:
        run.load()
        return run.call(Call("f")).value


def open_with(backend, size=0):
    from functools import partial

    from sandbox.box import Box

    return Pool(backend, size=size, box=partial(Box, confined=False))


def test_a_lease_keeps_its_box_and_the_next_gets_another():
    with trusted_pool(size=1) as pool:
        with pool.lease() as lease:
            first = {supervisor(lease) for _ in range(3)}
        with pool.lease() as lease:
            second = supervisor(lease)
    assert len(first) == 1
    assert second not in first


def test_the_pool_refills_itself():
    backend = Flaky()
    with open_with(backend, size=2) as pool:
        assert pool.wait_ready(60)
        assert len(backend.started) == 2
        with pool.lease() as lease:
            supervisor(lease)
        assert pool.wait_ready(60)
        assert len(backend.started) == 3


def test_one_failed_start_is_tried_again():
    with open_with(Flaky(failures=1)) as pool, pool.lease() as lease:
        assert supervisor(lease) > 0


def test_two_failed_starts_are_reported():
    with (
        open_with(Flaky(failures=2)) as pool,
        pool.lease() as lease,
        pytest.raises(InfraError, match="ill"),
    ):
        supervisor(lease)


def test_three_failures_in_a_row_open_the_circuit():
    backend = Flaky(failures=100)
    with open_with(backend) as pool, pool.lease() as lease:
        with pytest.raises(InfraError):
            supervisor(lease)
        with pytest.raises((InfraError, SandboxUnavailable)):
            supervisor(lease)
        tried = 100 - backend.failures
        with pytest.raises(SandboxUnavailable, match="in a row"):
            supervisor(lease)
        assert 100 - backend.failures == tried == FAILURES


def test_a_box_that_died_while_idle_is_replaced():
    backend = Flaky()
    with open_with(backend, size=1) as pool:
        assert pool.wait_ready(60)
        backend.started[0]._process.kill()
        backend.started[0]._process.wait()
        with pool.lease() as lease:
            assert supervisor(lease) > 0


def test_the_circuit_lets_one_attempt_through_after_a_while():
    now = [0.0]
    circuit = Circuit(clock=lambda: now[0])
    for _ in range(FAILURES):
        circuit.check()
        circuit.failed(InfraError("no"))
    with pytest.raises(SandboxUnavailable):
        circuit.check()
    now[0] = COOL_DOWN_S
    circuit.check()
    circuit.failed(InfraError("no"))
    assert circuit.open
    now[0] = 2 * COOL_DOWN_S
    circuit.succeeded()
    assert not circuit.open


def test_a_closed_pool_lends_nothing():
    with trusted_pool() as pool:
        pass
    with pytest.raises(ValueError, match="closed"), pool.lease() as lease:
        supervisor(lease)


def test_without_engine_and_bwrap_there_is_one_clear_message(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(SandboxUnavailable) as caught:
        open_pool()
    assert "bubblewrap" in caught.value.remedy
    assert "Docker" in caught.value.remedy


def test_an_unknown_backend_is_refused():
    with pytest.raises(ValueError, match="neither docker nor bwrap"):
        open_pool("none")


def test_more_memory_than_the_sandbox_has_is_refused():
    with (
        trusted_pool() as pool,
        pool.lease() as lease,
        pytest.raises(ValueError, match="memory_bytes"),
    ):
        lease.start(SOURCE, "m", Limits(memory_bytes=1 << 30))


@pytest.mark.parametrize("name", ["", "a-b", "a.b", "1a", "é"])
def test_module_names_are_ascii_identifiers(name):
    with (
        trusted_pool() as pool,
        pool.lease() as lease,
        pytest.raises(ValueError, match="identifier"),
    ):
        lease.start(SOURCE, name, Limits())


@pytest.mark.parametrize(
    "wrong",
    [{"cpu_s": 0}, {"cpu_s": float("inf")}, {"memory_bytes": -1}, {"result_bytes": 1 << 30}],
)
def test_limits_name_the_field_that_is_wrong(wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        Limits(**wrong)
