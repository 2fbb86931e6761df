"""Proves at start-up, from inside a sandbox, that its limits hold.

The probe is an ordinary submission run the ordinary way, so that what is proved is what
submissions meet. A backend that fails refuses to run.
"""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.backends.base import Backend
from sandbox.limits import Limits


@dataclass(frozen=True, slots=True)
class Proof:
    """One limit that was tried and held.

    Args:
        name: `network`, `memory`, `processes`, `disk`, `read-only root`, `capabilities`,
            `seccomp`.
        evidence: What was tried and what came of it.
    """

    name: str
    evidence: str


def prove(backend: Backend, limits: Limits) -> tuple[Proof, ...]:
    """Tries every limit of a backend."""
    return ()
