"""Builds the root directory that bwrap shows as `/`: an interpreter, numpy, the guest, no more.

It is a copy, so that nothing of the host's own tree is visible inside, and so that an
unprivileged user may read it wherever the host's interpreter lives.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from importlib import util
from pathlib import Path
from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.guestfiles import guest_digest, guest_files

PYTHON: Final = "/opt/python/bin/python3"
MAIN: Final = "/opt/guest/sandbox/guest/main.py"
LIBRARIES: Final = "/opt/lib"
# A folder of its own: where an interpreter looks for packages differs between distributions.
PACKAGES: Final = "/opt/packages"
_LAYOUT: Final = 2
_UNWANTED: Final = (
    "site-packages dist-packages test tests idlelib tkinter turtledemo ensurepip lib2to3 "
    "pydoc_data config-* *.opt-1.pyc *.opt-2.pyc *.pyi *.a"
).split()
_LINKED: Final = re.compile(r"^\s*(?:\S+ => )?(/\S+) \(0x", re.MULTILINE)


def rootfs() -> Path:
    """The root directory for this interpreter, numpy and guest, built where it is missing.

    Raises:
        SandboxUnavailable: It cannot be built here.
    """
    target = _cache() / f"root-{_key()}"
    if not (target / "digest").exists():
        try:
            _build(target)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SandboxUnavailable(
                f"cannot build the sandbox's root directory {target}: {error}",
                remedy="make its parent writable, or set SANDBOX_CACHE to another directory",
            ) from error
    return target / "root"


def digest(root: Path) -> str:
    """Digest of a built root directory."""
    return "sha256:" + (root.parent / "digest").read_text("ascii")


def _cache() -> Path:
    """Root's home is closed to the unprivileged user who must read this."""
    if configured := os.environ.get("SANDBOX_CACHE"):
        return Path(configured)
    if os.geteuid() == 0:
        return Path("/var/cache/sandbox-guest")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sandbox-guest"


def _numpy() -> Path:
    spec = util.find_spec("numpy")
    if spec is None or spec.origin is None:
        raise SandboxUnavailable("numpy is not installed", remedy="pip install numpy")
    return Path(spec.origin).parent


def _interpreter() -> Path:
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def _key() -> str:
    numpy = _numpy()
    version = (numpy / "version.py").read_text("utf-8")
    parts = [str(_LAYOUT), sys.version, str(_interpreter()), str(numpy), version, guest_digest()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _build(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="building-", dir=target.parent))
    try:
        _fill(work / "root")
        (work / "digest").write_text(_tree_digest(work / "root"), "ascii")
        work.chmod(0o755)
        try:
            work.rename(target)
        except OSError:  # somebody else was faster
            if not (target / "digest").exists():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _fill(root: Path) -> None:
    for name in ("proc", "dev", "tmp"):
        (root / name).mkdir(parents=True)
    library = root / f"opt/python/lib/python{sysconfig.get_python_version()}"
    ignore = shutil.ignore_patterns(*_UNWANTED)
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=ignore, symlinks=False)
    numpy = _numpy()
    for package in (numpy, numpy.with_name("numpy.libs")):
        if package.is_dir():
            shutil.copytree(package, root / PACKAGES[1:] / package.name, ignore=ignore)
    python = root / PYTHON[1:]
    python.parent.mkdir(parents=True)
    shutil.copy2(_interpreter(), python)
    for file, place in guest_files():
        (root / "opt/guest" / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, root / "opt/guest" / place)
    _copy_libraries(root, [python, *root.rglob("*.so*")])
    _make_readable(root)


def _copy_libraries(root: Path, objects: Iterable[Path]) -> None:
    """Copies what the dynamic linker would load, and the linker itself to its fixed place."""
    env = {"PATH": os.defpath, "LD_LIBRARY_PATH": sysconfig.get_config_var("LIBDIR") or ""}
    listed = subprocess.run(
        ["ldd", *map(str, objects)], capture_output=True, text=True, env=env, check=False
    ).stdout
    (root / LIBRARIES[1:]).mkdir(parents=True)
    for name in sorted(set(_LINKED.findall(listed))):
        source = Path(name)
        if source.is_relative_to(root):
            continue
        place = root / name[1:] if source.name.startswith("ld-") else root / LIBRARIES[1:]
        if source.name.startswith("ld-"):
            place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source.resolve(), place if place.suffix else place / source.name)


def _make_readable(root: Path) -> None:
    for path in [root, *root.rglob("*")]:
        executable = path.is_dir() or os.access(path, os.X_OK)
        path.chmod(0o755 if executable else 0o644)


def _tree_digest(root: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            total.update(f"{path.relative_to(root)}\0{content}\n".encode())
    return total.hexdigest()
