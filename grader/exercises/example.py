"""Public examples: small traces with their right results, which a learner may run."""

from dataclasses import dataclass
from typing import Any

from sandbox.ops import Op

NOTHING = object()
"""Expectation of a line whose result does not matter."""


@dataclass(frozen=True)
class Raises:
    """Expectation that an error is raised.

    Attributes:
        error: Name of a built-in error, or of a class of the submitted file.
    """

    error: str


@dataclass(frozen=True)
class Line:
    """One operation of an example and what it gives.

    Attributes:
        expected: The exact plain value, a `Raises`, a NumPy array (compared with ``close32``),
            or `NOTHING`.
    """

    op: Op
    expected: Any = NOTHING


@dataclass(frozen=True)
class Example:
    """A few lines that show one thing."""

    title: str
    lines: tuple[Line, ...]
