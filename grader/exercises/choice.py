"""Choices: one generator serves the fast corpus and Hypothesis.

A generator of traces asks a `Choice` for integers, booleans and members of sequences. Behind a
`SeededChoice` stands a pseudo-random generator (microseconds a choice, for the corpus); behind
the choice that `strategy_of` passes stands Hypothesis, which can shrink what was chosen. Always
put the simplest option first or lowest: that is where shrinking goes.
"""

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")


class Choice(Protocol):
    """Where a generator's decisions come from."""

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high]; shrinks to ``low``."""

    def boolean(self, probability: float = 0.5) -> bool:
        """True with the given probability; shrinks to False."""

    def member(self, options: Sequence[T]) -> T:
        """One of the options; shrinks to the first."""


class SeededChoice:
    """Choices of a pseudo-random generator: equal seeds, equal choices.

    Args:
        seed: Any non-negative integer.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        return self._random.randint(low, high)

    def boolean(self, probability: float = 0.5) -> bool:
        """True with the given probability."""
        return self._random.random() < probability

    def member(self, options: Sequence[T]) -> T:
        """One of the options, all alike likely."""
        return options[self._random.randrange(len(options))]


class _DrawnChoice:
    """Choices drawn through Hypothesis, hence shrinkable."""

    def __init__(self, draw: "DrawFn") -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        from hypothesis import strategies as st

        return low + self._draw(st.integers(0, high - low))

    def boolean(self, probability: float = 0.5) -> bool:
        steps = round(probability * _STEPS)
        return self.integer(0, _STEPS - 1) >= _STEPS - steps

    def member(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]


_STEPS = 20


def strategy_of(generate: Callable[[Choice], T]) -> "SearchStrategy[T]":
    """The Hypothesis strategy of a generator of traces."""
    from hypothesis import strategies as st

    @st.composite
    def drawn(draw: "DrawFn") -> T:
        return generate(_DrawnChoice(draw))

    return drawn()
