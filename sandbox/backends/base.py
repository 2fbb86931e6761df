"""What a backend is, in one small protocol."""

from __future__ import annotations

from typing import Any, Protocol

from sandbox.limits import Limits


class HostLink(Protocol):
    """The host's end of the byte stream to a supervisor."""

    def recv_into(self, view: memoryview, /) -> int:
        """Fills part of `view`; 0 at the end of the stream."""

    def sendall(self, data: Any, /) -> None:
        """Writes all of it."""

    def settimeout(self, seconds: float | None, /) -> None:
        """Bounds each of the two calls above; they raise `TimeoutError`."""

    def close(self) -> None:
        """Hangs up, upon which the supervisor ends."""


class Started(Protocol):
    """One started sandbox; nothing has run in it yet but the supervisor."""

    @property
    def link(self) -> HostLink:
        """The stream to the supervisor, which has not been read yet."""

    @property
    def counts_processes(self) -> bool:
        """Whether the number of processes in it is bounded from outside."""

    def memory_kills(self) -> int:
        """How often the kernel killed for this sandbox's memory; 0 where that cannot be known."""

    def complaint(self) -> str:
        """What the engine or the interpreter wrote about a failed start."""

    def destroy(self) -> None:
        """Ends everything in it and removes every trace; may be called twice."""


class Backend(Protocol):
    """A way to start sandboxes."""

    @property
    def name(self) -> str:
        """`docker` or `bwrap`."""

    @property
    def accounting(self) -> str:
        """`cgroup`, or `per process` where no control group could be had."""

    def image_digest(self) -> str:
        """Digest of what is inside, for receipts."""

    def start(self, limits: Limits) -> Started:
        """Starts a sandbox.

        Raises:
            InfraError: It did not start.
        """

    def reap(self) -> int:
        """Removes what dead hosts left behind; returns how many."""

    def close(self) -> None:
        """Lets go of the engine."""
