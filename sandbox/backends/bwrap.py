"""Sandboxes made by bubblewrap: no daemon, no image, no root needed.

Where the host is root, it changes to an unprivileged user before bwrap, because a bwrap that root
starts is root outside, whatever it looks like inside.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
from functools import cached_property
from typing import IO, Any, Final

from sandbox import seccomp
from sandbox.backends import rootfs
from sandbox.backends.cgroup import Group, Groups
from sandbox.errors import InfraError, SandboxUnavailable
from sandbox.limits import Limits

NOBODY: Final = 65534
ENVIRONMENT: Final = {
    "PATH": "/opt/python/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "LD_LIBRARY_PATH": rootfs.LIBRARIES,
    "PYTHONPATH": rootfs.PACKAGES,
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class BwrapBackend:
    """Starts sandboxes through the `bwrap` program.

    Raises:
        SandboxUnavailable: bwrap is missing, or this machine does not let it work.
    """

    name: Final = "bwrap"

    def __init__(self) -> None:
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailable(
                "bubblewrap is not installed", remedy="install the package `bubblewrap`"
            )
        self._program = program
        self._root = rootfs.rootfs()
        self._groups = Groups.find()
        self._filter = seccomp.program("seccomp.json", platform.machine())
        self._extra = self._probe()

    @property
    def accounting(self) -> str:
        """`cgroup`, or `per process` where no control group is writable."""
        return "cgroup" if self._groups else "per process"

    def image_digest(self) -> str:
        """Digest of the root directory."""
        return rootfs.digest(self._root)

    def _probe(self) -> tuple[str, ...]:
        """Whether bwrap works here, and whether it can forbid further user namespaces."""
        for extra in (("--disable-userns",), ()):
            command = [*self._isolation(extra), "--", rootfs.PYTHON, "-S", "-c", ""]
            done = subprocess.run(command, capture_output=True, check=False, timeout=60, **_user())
            if done.returncode == 0:
                return extra
        raise SandboxUnavailable(
            f"bwrap does not work here: {done.stderr.decode('utf-8', 'replace').strip()}",
            remedy="allow unprivileged user namespaces, or use Docker",
        )

    def _isolation(self, extra: tuple[str, ...]) -> list[str]:
        command = [self._program, "--unshare-all", "--unshare-user", *extra]
        command += ["--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"]
        command += ["--new-session", "--as-pid-1", "--cap-drop", "ALL", "--clearenv"]
        for name, value in ENVIRONMENT.items():
            command += ["--setenv", name, value]
        command += ["--ro-bind", str(self._root), "/", "--proc", "/proc", "--dev", "/dev"]
        command += ["--remount-ro", "/dev", "--chdir", "/"]
        return command

    def start(self, limits: Limits) -> BwrapSandbox:
        """Starts one sandbox.

        Raises:
            InfraError: bwrap could not be started.
        """
        group = self._groups.make(limits) if self._groups else None
        ours, theirs = socket.socketpair()
        info_read, info_write = os.pipe()
        filter_fd = _file_with(self._filter)
        errors = tempfile.TemporaryFile()  # noqa: SIM115  closed by BwrapSandbox.destroy
        command = self._isolation(self._extra)
        if limits.scratch_bytes:
            command += ["--size", str(limits.scratch_bytes), "--tmpfs", "/tmp"]  # noqa: S108  inside
        command += ["--remount-ro", "/", "--seccomp", str(filter_fd), "--info-fd", str(info_write)]
        command += ["--", rootfs.PYTHON, "-P", "-s", "-B", "-u", rootfs.MAIN]
        command += ["--fd", str(theirs.fileno())]
        try:
            process = _spawn(command, group, errors, (theirs.fileno(), info_write, filter_fd))
        except OSError as error:
            raise InfraError(f"cannot start bwrap: {error}") from error
        finally:
            theirs.close()
            os.close(info_write)
            os.close(filter_fd)
        return BwrapSandbox(process, ours, info_read, errors, group)

    def reap(self) -> int:
        """Removes control groups of dead hosts; processes end with their host's link."""
        return self._groups.reap() if self._groups else 0

    def close(self) -> None:
        """Nothing is held open."""


class BwrapSandbox:
    """One started bwrap and what is in it."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        link: socket.socket,
        info: int,
        errors: IO[bytes],
        group: Group | None,
    ) -> None:
        self.link = link
        self._process = process
        self._info: int | None = info
        self._errors = errors
        self._group = group
        self.counts_processes = group is not None

    def memory_kills(self) -> int:
        """How often the control group ran out of memory and killed."""
        return self._group.memory_kills() if self._group else 0

    def complaint(self) -> str:
        """What bwrap wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read(2000).decode("utf-8", "replace").strip()

    @cached_property
    def first_process(self) -> int | None:
        """The sandbox's PID 1 as this process sees it; None where bwrap failed before."""
        assert self._info is not None
        with os.fdopen(self._info, "rb") as info:
            text = info.read()
        self._info = None
        return int(json.loads(text)["child-pid"]) if text else None

    def destroy(self) -> None:
        """Kills PID 1, and with it the whole process namespace."""
        self.link.close()
        if self._process.returncode is None:
            first = self.first_process
            if first is not None and self._process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(first, signal.SIGKILL)
            self._end()
        if self._group is not None:
            self._group.remove()
        self._errors.close()

    def _end(self) -> None:
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _user() -> dict[str, Any]:
    """Arguments that make a new process unprivileged before it runs anything."""
    if os.geteuid() != 0:
        return {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def _file_with(data: bytes) -> int:
    descriptor = os.memfd_create("filter", 0)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _spawn(
    command: list[str], group: Group | None, errors: IO[bytes], keep: tuple[int, ...]
) -> subprocess.Popen[bytes]:
    """Starts bwrap inside its control group.

    The shell moves itself into the groups through descriptors that were opened beforehand, since
    the unprivileged user may not open them, and then becomes bwrap. They are its descriptors 0
    and 1 because a POSIX shell need not know any above 9.
    """
    entries = group.entries() if group else []
    if entries:
        joins = "".join(f"echo 0 >&{index}; " for index in range(len(entries)))
        command = ["/bin/sh", "-c", joins + 'exec "$@" </dev/null >/dev/null', "sh", *command]
    try:
        return subprocess.Popen(
            command,
            stdin=entries[0] if entries else subprocess.DEVNULL,
            stdout=entries[-1] if entries else subprocess.DEVNULL,
            stderr=errors,
            pass_fds=keep,
            env={"PATH": os.defpath},
            **_user(),
        )
    finally:
        for entry in entries:
            os.close(entry)
