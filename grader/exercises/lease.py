"""Where sandboxes come from, and one submission's hold on them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Protocol, Self

from grader.exercises.execution import Box


class Pool(Protocol):
    """Where boxes come from; what `sandbox.pool.open_pool` gives."""

    @property
    def backend(self) -> str:
        """Name of the backend."""

    @property
    def proofs(self) -> Sequence[object]:
        """What its self-check proved; each is shown as its text."""

    @property
    def image_digest(self) -> str:
        """What the submissions run in."""

    def lease(self) -> AbstractContextManager[Box]:
        """Runs for one submission, in a box that is replaced whenever it is spoilt."""


class Lease:
    """A hold on the pool for one submission, given up and taken anew where our side failed.

    Args:
        pool: Where boxes come from.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._stack = ExitStack()
        self._box: Box | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()

    def discard(self) -> None:
        """Gives the hold up."""
        self._box = None
        self._stack.close()

    def box(self) -> Box:
        """Where a run may start."""
        if self._box is None:
            self._box = self._stack.enter_context(self._pool.lease())
        return self._box
