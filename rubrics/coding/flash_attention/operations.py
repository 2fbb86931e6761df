"""Calls of flash_attention: ordinary ones of all sizes and tilings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.exercises.authoring import (
    Array,
    Call,
    Choice,
    Trace,
    TraceBuilder,
    filled,
    given,
    normal,
)

DIMS = (1, 2, 3, 4, 8, 16)
SCALES = (None, 0.125, 0.25)
PRIMES = (2, 3, 5, 7, 11, 13, 17)

Triple = tuple[Array, Array, Array]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the large cases.

    Attributes:
        tokens: Least and most tokens of a large case.
        longest: Queries and keys where memory is measured.
        growth_mib: How far memory may grow there.
    """

    tokens: tuple[int, int]
    longest: int
    growth_mib: int


def seed(choice: Choice) -> int:
    """A seed for one array."""
    return choice.integer(0, 2**32 - 1)


def triple(
    choice: Choice, n_q: int, n_k: int, dim: int, dim_v: int, dtype: str = "float32"
) -> Triple:
    """Fresh queries, keys and values."""
    shapes = ((n_q, dim), (n_k, dim), (n_k, dim_v))
    return named(*(normal(shape, seed(choice), dtype) for shape in shapes))


def named(q: Array, k: Array, v: Array) -> Triple:
    """The arrays under their names, which makes a counter-example legible."""
    return q.laid(into="q"), k.laid(into="k"), v.laid(into="v")


def attention(arrays: Triple, **options: Any) -> Call:
    """A call with the options that are not None."""
    return Call("flash_attention", arrays, {n: o for n, o in options.items() if o is not None})


def only(*calls: Call) -> Trace:
    """A trace of these calls; each stands alone, so that only the wrong one is shown."""
    trace = TraceBuilder()
    for call in calls:
        trace.probe(call)
    return trace.build()


def tiling(choice: Choice, n_q: int, n_k: int, least: int = 1) -> dict[str, int]:
    """Any tile, larger than the matrix too."""
    return {
        "block_q": choice.integer(least, n_q + 5),
        "block_k": choice.integer(least, n_k + 5),
    }


# FA1


def dense(choice: Choice) -> Trace:
    """All keys visible, tiles that divide both lengths, values of another width than keys."""
    block_q, block_k = choice.member((2, 1, 3, 4, 8)), choice.member((2, 1, 3, 4, 8))
    n_q, n_k = block_q * choice.integer(1, 4), block_k * choice.integer(1, 4)
    dim = choice.member(DIMS)
    dim_v = choice.member([d for d in DIMS if d != dim])
    arrays = triple(choice, n_q, n_k, dim, dim_v)
    blocks = {"block_q": block_q, "block_k": block_k}
    return only(attention(arrays, scale=choice.member(SCALES), **blocks))


def large_dense(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Four default tiles and more each way."""

    def generate(choice: Choice) -> Trace:
        n_q, n_k = (choice.integer(*sizes.tokens) // 64 * 64 + 64 for _ in range(2))
        return only(attention(triple(choice, n_q, n_k, 16, 24)))

    return generate


# FA2


def tilings(choice: Choice) -> Trace:
    """The same arrays under several tilings."""
    n_q, n_k = choice.member((1, *PRIMES)), choice.member((1, *PRIMES))
    arrays = triple(choice, n_q, n_k, choice.member(DIMS), choice.member(DIMS))
    scale = choice.member(SCALES)
    calls = [attention(arrays, scale=scale, **tiling(choice, n_q, n_k)) for _ in range(3)]
    return only(*calls)


def large_tilings(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Many tokens under tilings that divide nothing."""

    def generate(choice: Choice) -> Trace:
        n_q, n_k = choice.integer(*sizes.tokens), choice.integer(*sizes.tokens)
        arrays = triple(choice, n_q, n_k, 8, 8)
        calls = [attention(arrays, **tiling(choice, n_q, n_k, least=16)) for _ in range(3)]
        return only(*calls, attention(arrays, block_q=7, block_k=19), attention(arrays))

    return generate


# FA3


def causal(choice: Choice) -> Trace:
    """As many, fewer or more queries than keys, with tiles that straddle the diagonal."""
    n_q = choice.integer(1, 14)
    n_k = max(n_q + choice.member((0, 0, 3, 1, 6, -1, -4)), 1)
    arrays = triple(choice, n_q, n_k, choice.member(DIMS), choice.member(DIMS))
    calls = [
        attention(arrays, causal=True, scale=choice.member(SCALES), **tiling(choice, n_q, n_k))
        for _ in range(2)
    ]
    return only(*calls)


def large_causal(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Many tokens, equal and unequal in number, wide and tall tiles."""

    def generate(choice: Choice) -> Trace:
        n = choice.integer(*sizes.tokens)
        calls = []
        for n_q, n_k in ((n, n), (n, n + 37), (n + 23, n)):
            arrays = triple(choice, n_q, n_k, 8, 8)
            calls += [
                attention(arrays, causal=True, block_q=16, block_k=50),
                attention(arrays, causal=True, block_q=90, block_k=32),
            ]
        return only(*calls)

    return generate


# FA4


def empty_rows(choice: Choice) -> Trace:
    """Rows that see no key, beside rows that see some."""
    n_k, more = choice.integer(1, 9), choice.integer(1, 6)
    arrays = triple(choice, n_k + more, n_k, choice.member(DIMS), choice.member(DIMS))
    blocks = tiling(choice, n_k + more, n_k)
    lse = choice.member((None, True))
    shown = given(_first_hidden(n_k, choice.integer(0, n_k)))
    return only(
        attention(arrays, causal=True, return_lse=lse, **blocks),
        attention(arrays, causal=choice.member((None, True)), key_mask=shown, **blocks),
    )


def masked_tile(choice: Choice) -> Trace:
    """The first tiles wholly masked, later ones visible."""
    block_k, n_q = choice.integer(1, 4), choice.integer(1, 8)
    hidden = block_k * choice.integer(1, 3)
    n_k = hidden + choice.integer(1, 6)
    arrays = triple(choice, n_q, n_k, choice.member(DIMS), choice.member(DIMS))
    shown = given(_first_hidden(n_k, hidden))
    blocks = {"block_q": choice.integer(1, n_q + 1), "block_k": block_k}
    lse = choice.member((None, True))
    return only(attention(arrays, key_mask=shown, return_lse=lse, **blocks))


def nothing_there(choice: Choice) -> Trace:
    """No key at all, no visible key, no query; and one ordinary call."""
    n, dim, dim_v = choice.integer(1, 6), choice.member(DIMS), choice.member(DIMS)
    flags = {"causal": choice.member((None, True)), "return_lse": choice.member((None, True))}
    arrays = triple(choice, n, n, dim, dim_v)
    return only(
        attention(triple(choice, n, 0, dim, dim_v), **flags),
        attention(triple(choice, 0, n, dim, dim_v), **flags),
        attention(triple(choice, 0, 0, dim, dim_v), **flags),
        attention(arrays, key_mask=filled((n,), False, "bool_"), **flags),
        attention(arrays, return_lse=flags["return_lse"]),
    )


def large_empty(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Many empty rows before many that are not, and many masked tiles before visible ones."""

    def generate(choice: Choice) -> Trace:
        n = choice.integer(*sizes.tokens)
        shown = Array(f"np.arange({n}) >= {n - 30}", lambda: _first_hidden(n, n - 30))
        return only(
            attention(triple(choice, n, n // 2, 8, 8), causal=True, return_lse=True),
            attention(triple(choice, 40, n, 8, 8), key_mask=shown, block_k=16),
        )

    return generate


def _first_hidden(n_k: int, hidden: int) -> Any:
    return np.arange(n_k) >= hidden


# FA7


def scales(choice: Choice) -> Trace:
    """The default scale, zero, negative and other ones."""
    n = choice.integer(2, 10)
    arrays = triple(choice, choice.integer(1, 8), n, choice.member(DIMS), choice.member(DIMS))
    return only(
        attention(arrays),
        attention(arrays, scale=0.0),
        attention(arrays, scale=choice.member((-0.25, -0.5))),
        attention(arrays, scale=choice.member((0.5, 0.75))),
    )


def large_scales(sizes: Sizes) -> Callable[[Choice], Trace]:
    """The same over many tiles."""

    def generate(choice: Choice) -> Trace:
        arrays = triple(choice, 20, choice.integer(*sizes.tokens), 16, 4)
        return only(*(attention(arrays, scale=scale) for scale in (None, 0.0, -0.25)))

    return generate


# FA8


def logarithms(choice: Choice) -> Trace:
    """Logarithms of denominators in every type, rows that see nothing among them."""
    n_q, n_k = choice.integer(1, 9), choice.integer(1, 9)
    dtype = choice.member(("float32", "float16", "float64"))
    arrays = triple(choice, n_q, n_k, choice.member(DIMS), choice.member(DIMS), dtype)
    options = {"scale": choice.member((None, 0.125, 0.25))}
    options |= {"causal": choice.member((None, True))}
    return only(attention(arrays, return_lse=True, **options, **tiling(choice, n_q, n_k)))


def halves(choice: Choice) -> Trace:
    """Two key sets apart; the check merges them and compares with both together."""
    n_q, dim = choice.integer(1, 6), choice.member(DIMS)
    q, k, v = triple(choice, n_q, choice.integer(1, 8), dim, 3)
    k2, v2 = triple(choice, n_q, choice.integer(1, 8), dim, 3)[1:]
    trace = TraceBuilder(halves=True)
    trace.add(attention((q, k, v), return_lse=True, block_k=choice.integer(1, 8)))
    trace.add(attention((q, k2, v2), return_lse=True, block_k=choice.integer(1, 8)))
    return trace.build()


def large_logarithms(sizes: Sizes) -> Callable[[Choice], Trace]:
    """Many tokens, causal, more queries than keys."""

    def generate(choice: Choice) -> Trace:
        n = choice.integer(*sizes.tokens)
        arrays = triple(choice, n + 20, n, 8, 8)
        return only(attention(arrays, return_lse=True, causal=True))

    return generate
