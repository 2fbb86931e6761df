"""Calls that ask for care with numbers: masked places, extreme and rising scores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.exercises.authoring import Array, Choice, Trace, given, normal, whole

from .operations import Sizes, attention, named, only, seed, tiling

Column = npt.NDArray[Any]

DIM = 4
SHORT = 20


def led(array: Array, code: str, column: Callable[[], Column]) -> Array:
    """The array (n, 4) with its first column set.

    Args:
        code: Python expression that gives the column.
        column: Computes it.
    """

    def make() -> Column:
        made = np.array(array.values)
        made[:, 0] = column()
        return made

    text = f"np.where(np.arange({DIM}) == 0, ({code})[:, None], {array.code})"
    return Array(f"{text}.astype(np.float32)", make)


def constant(array: Array, value: int) -> Array:
    """The first column set to one number."""
    rows = len(array.values)
    return led(array, f"np.full({rows}, {value})", lambda: np.full(rows, value))


def rising(array: Array, step: int) -> Array:
    """The first column rising row by row, or falling."""
    rows = len(array.values)
    return led(array, f"{step} * np.arange({rows})", lambda: step * np.arange(rows))


def drawn(array: Array, number: int, *levels: int) -> Array:
    """The first column drawn from levels."""
    rows = len(array.values)
    return led(
        array,
        f"np.random.default_rng({number}).choice({list(levels)}, {rows})",
        lambda: np.random.default_rng(number).choice(levels, rows),
    )


def small(choice: Choice, rows: int) -> Array:
    """Whole numbers, so that every score is exact."""
    return whole((rows, DIM), seed(choice), -3, 3)


# FA5


def exclusions(choice: Choice) -> Trace:
    """Ordinary scores; at masked places keys and values are huge."""
    n_q, n_k = choice.integer(1, 10), choice.integer(2, 14)
    shown = _shown(choice, n_k)
    q = normal((n_q, DIM), seed(choice))
    k = _huge_where_hidden(normal((n_k, DIM), seed(choice)), shown, 1e3)
    v = _huge_where_hidden(normal((n_k, DIM), seed(choice)), shown, 1e6)
    causal = choice.member((None, True))
    blocks = tiling(choice, n_q, n_k)
    return only(attention(named(q, k, v), key_mask=shown, causal=causal, **blocks))


def low_scores(choice: Choice) -> Trace:
    """Visible scores near -1e6 beside masked ones that are 2e6 higher."""
    n_q, n_k = choice.integer(1, 10), choice.integer(2, 14)
    return _low_scores(choice, n_q, n_k, choice.member((None, True)), tiling(choice, n_q, n_k))


def large_low_scores(sizes: Sizes) -> Callable[[Choice], Trace]:
    """The same with many tokens."""

    def generate(choice: Choice) -> Trace:
        n = choice.integer(*sizes.tokens)
        return _low_scores(choice, n, n, True, {})

    return generate


def _low_scores(
    choice: Choice, n_q: int, n_k: int, causal: bool | None, blocks: dict[str, int]
) -> Trace:
    shown = _shown(choice, n_k)
    q = constant(small(choice, n_q), -1000)
    k = constant(small(choice, n_k), 1000)
    k = _huge_where_hidden(k, shown, -1e3)
    v = _huge_where_hidden(normal((n_k, DIM), seed(choice)), shown, 1e6)
    scale = choice.member((1.0, 0.5))
    return only(attention(named(q, k, v), key_mask=shown, causal=causal, scale=scale, **blocks))


def _shown(choice: Choice, n_k: int) -> Array:
    """A mask that hides about half of the keys, one of them at least, and not all."""
    number, kept = seed(choice), choice.integer(0, n_k - 1)

    def make() -> Column:
        mask = np.random.default_rng(number).random(n_k) < 0.5
        mask[kept], mask[kept - 1] = True, False
        return mask

    if n_k <= SHORT:
        return given(make())
    drawn_mask = f"np.random.default_rng({number}).random({n_k}) < 0.5"
    index, hidden = f"np.arange({n_k})", (kept - 1) % n_k
    return Array(f"(({drawn_mask}) & ({index} != {hidden}) | ({index} == {kept}))", make)


def _huge_where_hidden(array: Array, shown: Array, value: float) -> Array:
    def make() -> Column:
        return np.where(shown.values[:, None], array.values, np.float32(value))

    return Array(f"np.where({shown.code}[:, None], {array.code}, np.float32({value}))", make)


# FA6


def rising_scores(choice: Choice) -> Trace:
    """Scores that rise or fall along the keys, so slowly that old keys still count."""
    n_q, n_k = choice.integer(1, 6), choice.integer(2, 14)
    q = constant(small(choice, n_q), choice.member((1, 2)))
    k = rising(small(choice, n_k), choice.member((1, 2, 4, -1)))
    v = normal((n_k, 3), seed(choice))
    blocks = {"block_q": choice.integer(1, n_q), "block_k": choice.integer(1, 4)}
    return only(attention(named(q, k, v), scale=choice.member((0.25, 0.125)), **blocks))


def extreme_scores(choice: Choice) -> Trace:
    """Scores that reach 1e4 both ways in any order, and rows that are low throughout."""
    n_q, n_k = choice.integer(1, 6), choice.integer(2, 14)
    q = drawn(small(choice, n_q), seed(choice), 100, -100, 0)
    k_levels = choice.member(((100, 99), (100, -100), (100,), (-100,)))
    k = drawn(small(choice, n_k), seed(choice), *k_levels)
    v = normal((n_k, 3), seed(choice))
    blocks = {"block_q": choice.integer(1, n_q), "block_k": choice.integer(1, 4)}
    return only(attention(named(q, k, v), scale=choice.member((1.0, -1.0, 0.5)), **blocks))


def equal_scores(choice: Choice) -> Trace:
    """All scores alike, high or low."""
    n_k, level = choice.integer(1, 14), choice.member((0, 1, 100, -100))
    q = constant(small(choice, 2), level)
    k = Array(f"np.full(({n_k}, {DIM}), 4, np.float32)", lambda: np.full((n_k, DIM), 4, "float32"))
    v = normal((n_k, 3), seed(choice))
    return only(attention(named(q, k, v), scale=1.0, block_k=choice.integer(1, 4)))


def large_rising(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Many tokens, slowly rising and steeply rising."""

    def generate(choice: Choice) -> Trace:
        n = choice.integer(*sizes.tokens)
        v = normal((n, 3), seed(choice))
        k = rising(small(choice, n), 1)
        slow = named(constant(small(choice, 16), 1), k, v)
        steep = named(constant(small(choice, 16), 40), k, v)
        return only(
            attention(slow, scale=0.125, block_k=5),
            attention(slow, scale=-0.125, block_k=32),
            attention(steep, scale=1.0, block_k=7),
        )

    return generate
