"""A pool for code that we wrote ourselves: references and mutants, never a learner's file."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from sandbox.box import Box
from sandbox.limits import MIB, Limits
from sandbox.run import Run


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
    def lease(self) -> Iterator["TrustedLease"]:
        """Runs for one submission."""
        with ExitStack() as stack:
            yield TrustedLease(stack, self._limits)


class TrustedLease:
    """A box, and a fresh one whenever the last was spoilt.

    Args:
        stack: Closes the boxes in the end.
        limits: Of every box.
    """

    def __init__(self, stack: ExitStack, limits: Limits) -> None:
        self._stack = stack
        self._limits = limits
        self._box: Box | None = None

    def start(self, source: bytes, module_name: str, limits: Limits) -> Run:
        """A fresh process."""
        from sandbox.testing import trusted_box

        if self._box is not None and not self._box.reusable:
            self._stack.close()
            self._box = None
        if self._box is None:
            self._box = self._stack.enter_context(trusted_box(self._limits))
        return self._box.start(source, module_name, limits)
