"""The directory that bwrap shows as `/`."""

import pytest

from sandbox.backends import rootfs
from sandbox.errors import SandboxUnavailable


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDBOX_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield rootfs.rootfs()


def test_it_has_an_interpreter_numpy_and_the_guest(root):
    assert (root / rootfs.PYTHON[1:]).is_file()
    assert (root / rootfs.MAIN[1:]).is_file()
    assert list(root.glob("opt/packages/numpy/__init__.py"))


def test_it_has_no_test_tools_and_nothing_else_of_the_host(root):
    assert {path.name for path in (root / "opt/packages").iterdir()} <= {"numpy", "numpy.libs"}
    assert not list(root.glob("opt/python/lib/python3.*/*-packages"))
    assert not list(root.glob("opt/python/lib/python3.*/test"))
    assert not list(root.glob("opt/guest/sandbox/pool.py"))
    assert not (root / "etc").exists()


def test_everybody_may_read_and_nobody_else_may_write(root):
    for path in root.rglob("*"):
        assert path.stat().st_mode & 0o022 == 0
        assert path.stat().st_mode & 0o004


def test_it_is_built_once_and_keeps_its_digest(root):
    assert rootfs.digest(root) == rootfs.digest(root)
    assert rootfs.digest(root).startswith("sha256:")


def test_a_place_that_cannot_be_written_is_named(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("SANDBOX_CACHE", str(blocked / "below"))
    with pytest.raises(SandboxUnavailable, match="SANDBOX_CACHE"):
        rootfs.rootfs()
