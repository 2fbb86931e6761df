"""A pool for code that we wrote ourselves: references and mutants, never a learner's file."""

from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.box import Box
from sandbox.limits import MIB, Limits


class TrustedPool:
    """Runs trusted code with the real worker and wire, but without walls.

    Args:
        memory_mib: Largest memory limit of a run.
    """

    backend = "none"
    proofs: tuple[str, ...] = ()
    image_digest = "unconfined"

    def __init__(self, memory_mib: int = 1024) -> None:
        self._limits = Limits(memory_bytes=memory_mib * MIB)

    @contextmanager
    def lease(self) -> Iterator[Box]:
        """A fresh box."""
        from sandbox.testing import trusted_box

        with trusted_box(self._limits) as box:
            yield box
