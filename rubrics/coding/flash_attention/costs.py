"""The three measured calls; memory must grow with N, not with its square."""

from collections.abc import Callable

from grader.exercises.authoring import Choice, Trace, TraceBuilder

from .operations import Sizes, attention, triple

MIB = 1 << 20
WIDE_ROWS, WIDE_KEYS, WIDE_BLOCK = 1024, 65536, 256


def long(sizes: Sizes, causal: bool) -> Callable[[Choice], Trace]:
    """As many queries as keys, tiles of 128."""

    def generate(choice: Choice) -> Trace:
        n, options = sizes.longest, f"causal={causal}, block_q=128, block_k=128"
        trace = _warmed_up(choice, sizes, (n, n, 64), options)
        arrays = triple(choice, n, n, 64, 64)
        trace.add(attention(arrays, causal=causal, block_q=128, block_k=128), note="measured")
        return trace.build()

    return generate


def wide(sizes: Sizes) -> Callable[[Choice], Trace]:
    """One tile of queries over very many keys: whole rows of scores do not fit."""

    def generate(choice: Choice) -> Trace:
        shape = (WIDE_ROWS, WIDE_KEYS, 8)
        options = f"block_q={WIDE_ROWS}, block_k={WIDE_BLOCK}"
        trace = _warmed_up(choice, sizes, shape, options)
        arrays = triple(choice, *shape, 8)
        call = attention(arrays, block_q=WIDE_ROWS, block_k=WIDE_BLOCK)
        trace.add(call, note="measured")
        return trace.build()

    return generate


def _warmed_up(
    choice: Choice, sizes: Sizes, shape: tuple[int, int, int], options: str
) -> TraceBuilder:
    n_q, n_k, dim = shape
    code = "\n".join(
        (
            "import numpy as np",
            "import tracemalloc",
            "from flash_attention import flash_attention",
            "rng = np.random.default_rng(0)",
            f"q = rng.standard_normal(({n_q}, {dim})).astype(np.float32)",
            f"k, v = rng.standard_normal((2, {n_k}, {dim})).astype(np.float32)",
            "tracemalloc.start()",
            f"out = flash_attention(q, k, v, {options})",
            "print(tracemalloc.get_traced_memory()[1] / 2**20, 'MiB')",
        )
    )
    trace = TraceBuilder(code=code, growth_mib=sizes.growth_mib)
    trace.add(attention(triple(choice, 32, 32, dim, dim), block_q=16, block_k=16))
    return trace
