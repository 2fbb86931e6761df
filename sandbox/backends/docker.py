"""Sandboxes made by a container engine through the Docker SDK: the reference backend."""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, Literal

from sandbox import seccomp
from sandbox.backends.attach import AttachLink
from sandbox.backends.base import HostLink
from sandbox.errors import InfraError, SandboxUnavailable
from sandbox.images.build import CPU, ImageKind
from sandbox.limits import Limits

LABEL: Final = "sandbox.machine"
LABEL_HOST: Final = "sandbox.pid"
LABEL_CREATED: Final = "sandbox.created"
USER: Final = "65534:65534"
LINK_DIRECTORY: Final = "/run/link"
START_S: Final = 60.0
STALE_S: Final = 6 * 3600.0

LinkKind = Literal["socket", "attach"]


class DockerBackend:
    """Starts sandboxes as containers.

    Args:
        runtime: Engine runtime, `runsc` for gVisor; None is the engine's default.
        link: `socket` (a Unix socket in a read-only mount) or `attach` (for engines on another
            machine); None chooses by where the engine is.
        image: Which image; the default is the CPU worker.
        devices: GPU ids (`0`, a UUID, a MIG UUID); empty for none.

    Raises:
        SandboxUnavailable: No engine answers, or it lacks our image.
    """

    name: Final = "docker"
    accounting: Final = "cgroup"

    def __init__(
        self,
        *,
        runtime: str | None = None,
        link: LinkKind | None = None,
        image: ImageKind = CPU,
        devices: tuple[str, ...] = (),
    ) -> None:
        self._client = connect()
        self._runtime = runtime
        self._devices = devices
        self._link = link or self._suitable_link()
        self._image = self._find_image(image)
        self._cpus = float(self._client.info()["NCPU"])
        self._undertaker = ThreadPoolExecutor(1, thread_name_prefix="sandbox-remove")

    def _suitable_link(self) -> LinkKind:
        local = self._client.api.base_url.startswith("http+docker://")
        return "socket" if local and platform.system() == "Linux" else "attach"

    def _find_image(self, kind: ImageKind) -> str:
        from docker.errors import DockerException, ImageNotFound

        try:
            return str(self._client.images.get(kind.tag()).id)
        except ImageNotFound:
            raise SandboxUnavailable(
                f"the engine has no image {kind.tag()}", remedy="run `grader sandbox build`"
            ) from None
        except DockerException as error:
            raise SandboxUnavailable(f"the engine does not answer: {error}") from error

    def image_digest(self) -> str:
        """The image's id, a digest of its configuration and layers."""
        return self._image

    def start(self, limits: Limits) -> DockerSandbox:
        """Starts one container and waits until its supervisor has connected.

        Raises:
            InfraError: The engine refused, or the supervisor did not come.
        """
        import requests
        from docker.errors import DockerException

        door = Door() if self._link == "socket" else None
        arguments = container_arguments(
            self._image,
            limits,
            door=door,
            cpus=self._cpus,
            runtime=self._runtime,
            devices=self._devices,
        )
        container = None
        try:
            container = self._client.containers.create(**arguments)
            attached = None if door else AttachLink.open(container)
            container.start()
            link = attached or self._admit(door, container)
        except (DockerException, requests.RequestException, OSError, InfraError) as error:
            if container is not None:
                self.remove(container)
            raise InfraError(f"a container did not start: {error}") from error
        finally:
            if door:
                door.close()
        return DockerSandbox(self, container, link)

    @staticmethod
    def _admit(door: Door | None, container: Any) -> HostLink:
        assert door is not None
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with contextlib.suppress(TimeoutError):
                return door.admit(1.0)
            container.reload()
            if container.status != "running":
                raise InfraError(f"it is {container.status}: {container.logs(tail=20)!r}")
        raise InfraError(f"its supervisor did not connect within {START_S:.0f} s")

    def remove(self, container: Any) -> None:
        """Removes a container in the background; `close` waits for it."""
        self._undertaker.submit(_remove, container)

    def reap(self) -> int:
        """Removes containers of hosts that are gone."""
        from docker.errors import DockerException

        count = 0
        with contextlib.suppress(DockerException):
            # Others come and go while the list is drawn up; one that is gone must not end it.
            found = self._client.containers.list(
                all=True, filters={"label": LABEL}, ignore_removed=True
            )
            for container in found:
                if _stale(container.labels):
                    _remove(container)
                    count += 1
        return count

    def close(self) -> None:
        """Waits for removals and lets go of the engine."""
        self._undertaker.shutdown()
        self._client.close()


class DockerSandbox:
    """One started container."""

    counts_processes: Final = True

    def __init__(self, backend: DockerBackend, container: Any, link: HostLink) -> None:
        self.link = link
        self._backend = backend
        self._container = container
        self._destroyed = False

    def memory_kills(self) -> int:
        """1 where the engine saw the kernel kill in this container for want of memory.

        The engine learns of it a little after we see the process gone.
        """
        for _ in range(10):
            if self._state().get("OOMKilled"):
                return 1
            time.sleep(0.02)
        return 0

    def complaint(self) -> str:
        """State of the container, since its output is not kept."""
        return f"exit status {self._state().get('ExitCode')}"

    def destroy(self) -> None:
        """Hangs up, upon which the supervisor ends, and has the container removed."""
        if not self._destroyed:
            self._destroyed = True
            self.link.close()
            self._backend.remove(self._container)

    def _state(self) -> Mapping[str, Any]:
        from docker.errors import DockerException

        try:
            self._container.reload()
        except DockerException:
            return {}
        state: Mapping[str, Any] = self._container.attrs["State"]
        return state


class Door:
    """A Unix socket that lets exactly one peer in and is then gone.

    Its name cannot be guessed and its directory not listed, so that no other user of this
    machine gets in first.
    """

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="sandbox-link-"))
        self.directory.chmod(0o711)
        self.name = secrets.token_hex(16)
        self._listener = socket.socket(socket.AF_UNIX)
        self._bind()
        (self.directory / self.name).chmod(0o666)
        self._listener.listen(1)

    def _bind(self) -> None:
        """Binds by a short name: a socket's may have no more than 107 bytes, a directory's more."""
        folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._listener.bind(f"/proc/self/fd/{folder}/{self.name}")
        finally:
            os.close(folder)

    def admit(self, timeout: float) -> socket.socket:
        """Waits for the peer.

        Raises:
            TimeoutError: It did not come.
        """
        self._listener.settimeout(timeout)
        return self._listener.accept()[0]

    def close(self) -> None:
        """Closes the door and removes the directory."""
        self._listener.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def connect() -> Any:
    """A client of the engine that the environment names.

    Raises:
        SandboxUnavailable: The SDK is not installed, or no engine answers.
    """
    try:
        import docker
        from docker.errors import DockerException
    except ImportError:
        raise SandboxUnavailable(
            "the Docker SDK is not installed", remedy="pip install 'interview-grader[sandbox]'"
        ) from None
    try:
        client = docker.from_env(timeout=120)
        client.ping()
    except (DockerException, OSError) as error:
        raise SandboxUnavailable(
            f"no Docker engine answers: {error}", remedy="start Docker, or use bwrap"
        ) from error
    return client


def container_arguments(
    image: str,
    limits: Limits,
    *,
    door: Door | None,
    cpus: float,
    runtime: str | None = None,
    devices: tuple[str, ...] = (),
) -> dict[str, Any]:
    """What a sandbox asks of the engine; pure, so that it can be tested without one.

    Args:
        image: Id of the image.
        limits: Of the sandbox as a whole.
        door: The socket it connects to; None for the attach link.
        cpus: CPUs of the engine's machine.
        runtime: Engine runtime.
        devices: GPU ids.
    """
    from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

    memory = limits.sandbox_bytes
    arguments: dict[str, Any] = {
        "image": image,
        "command": ["--unix", f"{LINK_DIRECTORY}/{door.name}"] if door else ["--stdio"],
        "labels": _labels(),
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges", f"seccomp={seccomp.profile_text()}"],
        "user": USER,
        "pids_limit": limits.processes,
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(min(limits.cpus, cpus) * 1e9),
        "ipc_mode": "none",
        "hostname": "sandbox",
        "log_config": LogConfig(type="none"),
        "ulimits": [
            Ulimit(name="nofile", soft=limits.open_files, hard=limits.open_files),
            Ulimit(name="core", soft=0, hard=0),
            Ulimit(name="fsize", soft=limits.scratch_bytes, hard=limits.scratch_bytes),
        ],
        "stdin_open": door is None,
    }
    if door:
        source = str(door.directory)
        arguments["mounts"] = [Mount(LINK_DIRECTORY, source, type="bind", read_only=True)]
    if limits.scratch_bytes:
        may_run = "exec" if devices else "noexec"
        options = f"rw,{may_run},nosuid,nodev,size={limits.scratch_bytes},nr_inodes=4096"
        arguments["tmpfs"] = {"/tmp": options}  # noqa: S108
    if runtime:
        arguments["runtime"] = runtime
    if devices:
        request = DeviceRequest(
            device_ids=list(devices), capabilities=[["gpu", "compute", "utility"]]
        )
        arguments["device_requests"] = [request]
        arguments["environment"] = {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    return arguments


def _machine() -> str:
    """This machine since its last start, so that process ids can be compared."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return platform.node()


def _labels() -> dict[str, str]:
    return {
        LABEL: _machine(),
        LABEL_HOST: str(os.getpid()),
        LABEL_CREATED: str(int(time.time())),
    }


def _stale(labels: Mapping[str, str]) -> bool:
    """Whether a container's host is gone: dead, or on another machine and silent for long."""
    if labels.get(LABEL) == _machine():
        return not Path(f"/proc/{labels.get(LABEL_HOST, '0')}").exists()
    return time.time() - float(labels.get(LABEL_CREATED, 0)) > STALE_S


def _remove(container: Any) -> None:
    import requests
    from docker.errors import DockerException

    with contextlib.suppress(DockerException, requests.RequestException):
        container.remove(force=True, v=True)
