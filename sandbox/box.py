"""One sandbox for one submission."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from sandbox.backends.base import Started
from sandbox.channel import Channel
from sandbox.errors import InfraError
from sandbox.limits import Limits
from sandbox.run import Run


class Box:
    """A started sandbox: any number of runs of one submission, then it is thrown away.

    Args:
        started: What the backend started; owned by the box from now on.
        limits: Of the sandbox as a whole; no run may ask for more memory.
        confined: False only for trusted code.

    Raises:
        InfraError: The supervisor inside does not answer.
    """

    def __init__(self, started: Started, limits: Limits, *, confined: bool = True) -> None:
        self._started = started
        self._limits = limits
        self._run: Run | None = None
        self._source: bytes | None = None
        try:
            self._channel = Channel(started.link, confined=confined)
        except InfraError as error:
            complaint = started.complaint()
            started.destroy()
            raise InfraError(f"{error.message}: {complaint or 'no word why'}") from error
        self.versions = self._channel.versions
        self.machine = self._channel.machine
        self.counts_processes = started.counts_processes

    def start(
        self, source: bytes, module_name: str, limits: Limits, device: str | None = None
    ) -> Run:
        """Forks a fresh process for the submission.

        Args:
            source: The submission's bytes, UTF-8.
            module_name: Name under which it is imported.
            limits: Of this run.
            device: Where torch tensors stand in for arrays (`cuda`); None is plain numpy.

        Raises:
            ValueError: Another submission than before, or more memory than the sandbox has.
            InfraError: The sandbox is gone.
        """
        if self._source not in (None, source):
            raise ValueError("a box takes one submission only")
        if limits.memory_bytes > self._limits.memory_bytes:
            raise ValueError(
                f"memory_bytes={limits.memory_bytes} is over the sandbox's "
                f"{self._limits.memory_bytes}; open the pool with larger limits"
            )
        self._source = source
        return self.start_unchecked(source, module_name, limits, device)

    def start_unchecked(
        self, source: bytes, module_name: str, limits: Limits, device: str | None = None
    ) -> Run:
        """Like `start`, whatever the limits: for proving that the sandbox's own ones hold."""
        self.settle()
        kills = self._started.memory_kills
        self._run = Run(self._channel, source, module_name, limits, kills, device=device)
        return self._run

    def settle(self) -> None:
        """Ends the run that is going on, if any."""
        if self._run is not None:
            self._run.close()

    @property
    def reusable(self) -> bool:
        """Whether another run of the same submission may start in it.

        Not after a forged frame or with anything left running, nor where files may lie about.
        """
        return self._run is None or (self._run.clean and not self._limits.scratch_bytes)

    def close(self) -> None:
        """Ends the run and removes the sandbox; may be called twice."""
        self._channel.close()
        self._started.destroy()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
