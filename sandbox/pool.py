"""Keeps started sandboxes at hand and lends them out, one submission each."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Literal, Self

from sandbox.backends.base import Backend, Started
from sandbox.box import Box
from sandbox.circuit import Circuit
from sandbox.errors import InfraError, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.run import Run
from sandbox.selfcheck import Proof, prove

BackendName = Literal["docker", "bwrap"]


class Pool:
    """Lends boxes; a thread of its own starts new ones while nobody waits.

    Args:
        backend: How sandboxes are started; must have passed its self-check.
        proofs: What that check proved.
        size: Started boxes kept ready; 0 starts each when it is asked for.
        limits: Of every sandbox as a whole.
        box: Makes a box of what the backend started.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        proofs: tuple[Proof, ...] = (),
        size: int = 1,
        limits: Limits | None = None,
        box: Callable[[Started, Limits], Box] = Box,
    ) -> None:
        self.proofs = proofs
        self.limits = limits or Limits()
        self._backend = backend
        self._size = size
        self._box = box
        self._circuit = Circuit()
        self._ready: deque[Box] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._waiting = 0
        self._filler = threading.Thread(target=self._fill, name="sandbox-pool", daemon=True)
        self._filler.start()

    @property
    def backend(self) -> str:
        """Name of the backend."""
        return self._backend.name

    @property
    def accounting(self) -> str:
        """`cgroup`, or `per process`."""
        return self._backend.accounting

    @property
    def image_digest(self) -> str:
        """Digest of what is inside the sandboxes."""
        return self._backend.image_digest()

    @contextmanager
    def lease(self) -> Iterator[Lease]:
        """Lends a sandbox to one submission; it is thrown away afterwards.

        Raises:
            SandboxUnavailable: The circuit is open.
            InfraError: Two sandboxes in a row did not start.
        """
        lease = Lease(self)
        try:
            yield lease
        finally:
            lease.close()

    def take(self) -> Box:
        """A started box, which the caller must close."""
        with self._changed:
            if self._closed:
                raise ValueError("the pool is closed")
            if self._ready:
                self._changed.notify_all()
                return self._ready.popleft()
            self._waiting += 1
        try:
            return self._start_twice()
        finally:
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def wait_ready(self, timeout: float = 60.0) -> bool:
        """Waits until the pool is full; False if it is not within `timeout` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._ready) >= self._size, timeout)

    def close(self) -> None:
        """Ends every box that is not lent out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._filler.join()
        while self._ready:
            self._ready.popleft().close()
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start_twice(self) -> Box:
        """Starts a box; a failure of ours is tried once more."""
        try:
            return self._start()
        except InfraError:
            return self._start()

    def _start(self) -> Box:
        self._circuit.check()
        try:
            box = self._box(self._backend.start(self.limits), self.limits)
        except InfraError as error:
            self._circuit.failed(error)
            raise
        self._circuit.succeeded()
        return box

    def _fill(self) -> None:
        """Starts boxes while some are missing and no caller is starting one itself."""
        while self._await_need():
            try:
                box = self._start()
            except (InfraError, SandboxUnavailable):
                with self._changed:
                    self._changed.wait(1.0)
                continue
            with self._changed:
                self._ready.append(box)
                self._changed.notify_all()

    def _await_need(self) -> bool:
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (len(self._ready) < self._size and not self._waiting)
            )
            return not self._closed


class Lease:
    """A submission's hold on a sandbox, and on a fresh one whenever the last was spoilt.

    Args:
        pool: Where boxes come from.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._box: Box | None = None

    def start(
        self, source: bytes, module_name: str, limits: Limits, device: str | None = None
    ) -> Run:
        """Forks a fresh process for the submission; see `Box.start`."""
        if self._box is not None:
            self._box.settle()
            if not self._box.reusable:
                self.close()
        box = self._current()
        try:
            return box.start(source, module_name, limits, device)
        except InfraError:  # it died while it was idle
            self.close()
            return self._current().start(source, module_name, limits, device)

    def _current(self) -> Box:
        if self._box is None:
            self._box = self._pool.take()
        return self._box

    def close(self) -> None:
        """Throws the sandbox away."""
        if self._box is not None:
            self._box.close()
            self._box = None


def open_pool(
    backend: BackendName | None = None,
    *,
    size: int = 1,
    limits: Limits | None = None,
    runtime: str | None = None,
) -> Pool:
    """Opens a pool on a backend that has proved its limits.

    Args:
        backend: Which; None takes Docker where it answers and has our image, else bwrap.
        size: Started sandboxes kept ready.
        limits: Of every sandbox as a whole.
        runtime: Docker runtime, `runsc` for gVisor.

    Raises:
        SandboxUnavailable: No backend can be had, or it does not hold its limits.
    """
    limits = limits or Limits()
    reasons = []
    for candidate in ("docker", "bwrap") if backend is None else (backend,):
        try:
            chosen, proofs = _proved(candidate, runtime, limits)
        except SandboxUnavailable as error:
            if backend is not None:
                raise
            reasons.append(f"{candidate}: {error}")
        else:
            return Pool(chosen, proofs=proofs, size=size, limits=limits)
    raise SandboxUnavailable(
        f"nothing here can confine untrusted code; {'; '.join(reasons)}",
        remedy="install Docker, or the package `bubblewrap` (Linux)",
    )


def _proved(name: str, runtime: str | None, limits: Limits) -> tuple[Backend, tuple[Proof, ...]]:
    """A backend that has just proved its limits.

    Raises:
        SandboxUnavailable: It cannot be had, or does not hold.
    """
    backend = _open(name, runtime)
    try:
        backend.reap()
        return backend, prove(backend, limits)
    except InfraError as error:
        backend.close()
        raise SandboxUnavailable(
            f"backend {name} could not be checked: {error.message}", remedy=error.remedy
        ) from error
    except BaseException:
        backend.close()
        raise


def _open(name: str, runtime: str | None) -> Backend:
    if name == "docker":
        from sandbox.backends.docker import DockerBackend

        return DockerBackend(runtime=runtime)
    if name == "bwrap":
        from sandbox.backends.bwrap import BwrapBackend

        return BwrapBackend()
    raise ValueError(f"backend {name!r} is neither docker nor bwrap")
