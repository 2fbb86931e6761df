"""A backend with a hole in one wall refuses to run."""

import json
import os
import platform

import pytest

from sandbox import pool as pools
from sandbox import seccomp
from sandbox.errors import InfraError, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.selfcheck import prove

pytestmark = pytest.mark.bwrap


@pytest.fixture
def backend():
    from sandbox.backends.bwrap import BwrapBackend

    try:
        return BwrapBackend()
    except SandboxUnavailable as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have bwrap: {error}")
        pytest.skip(f"lifted where bwrap works: {error}")


@pytest.mark.parametrize("hole", ["io_uring_setup", "keyctl", "memfd_create"])
def test_a_filter_with_one_hole_is_found(backend, monkeypatch, hole):
    profile = json.loads(seccomp.profile_text())
    profile["syscalls"][0]["names"].append(hole)
    with monkeypatch.context() as patch:
        patch.setattr(seccomp, "profile_text", lambda name: json.dumps(profile))
        backend._filter = seccomp.program.__wrapped__("seccomp.json", platform.machine())
    with pytest.raises(SandboxUnavailable, match=hole):
        prove(backend, Limits())


def test_a_network_that_is_shared_is_found(backend, monkeypatch):
    isolation = backend._isolation
    monkeypatch.setattr(backend, "_isolation", lambda extra: [*isolation(extra), "--share-net"])
    with pytest.raises(SandboxUnavailable, match="network interfaces"):
        prove(backend, Limits())


def test_a_writable_directory_is_found(backend, monkeypatch):
    isolation = backend._isolation
    monkeypatch.setattr(backend, "_isolation", lambda extra: [*isolation(extra), "--tmpfs", "/tmp"])
    with pytest.raises(SandboxUnavailable, match="files can be made"):
        prove(backend, Limits())


def test_a_control_group_without_limits_is_found(backend, monkeypatch):
    if backend.accounting != "cgroup":
        pytest.skip("lifted where a control group can be written")
    from sandbox.backends.cgroup import Group

    monkeypatch.setattr(Group, "limit", lambda group, limits: None)
    with pytest.raises(SandboxUnavailable, match="could be had"):
        prove(backend, Limits())


class Ill:
    """A backend whose sandboxes do not start."""

    name, accounting = "docker", "cgroup"
    closed = False

    def start(self, limits):
        raise InfraError("the engine is ill")

    def reap(self):
        return 0

    def close(self):
        self.closed = True


def test_the_next_backend_is_taken_when_the_first_fails_its_check(backend, monkeypatch):
    ill = Ill()
    monkeypatch.setattr(pools, "_open", lambda name, runtime: ill if name == "docker" else backend)
    with pools.open_pool(size=0) as opened:
        assert opened.backend == "bwrap"
    assert ill.closed


def test_a_backend_that_was_asked_for_has_no_stand_in(monkeypatch):
    monkeypatch.setattr(pools, "_open", lambda name, runtime: Ill())
    with pytest.raises(SandboxUnavailable, match="ill"):
        pools.open_pool("docker")
