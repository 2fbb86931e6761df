"""The two timed histories: many single-token appends, and many single-token steps."""

from grader.exercises.authoring import (
    Array,
    Call,
    Choice,
    Get,
    New,
    Ref,
    Trace,
    TraceBuilder,
    normal,
)

from .operations import seed

APPENDS = 16384
BUFFERS = 64
KEPT = 4096
STEPS = 1500
EVERY = 100

APPEND_CODE = f"""\
import numpy as np
from kv_cache import KVCache
rng = np.random.default_rng(0)
c = KVCache(4, 64, {APPENDS})
for _ in range({APPENDS}):
    c.append(*rng.standard_normal((2, 1, 4, 64)).astype(np.float32))
print(c.length, c.attend(rng.standard_normal((1, 4, 64)).astype(np.float32)))"""

STEP_CODE = f"""\
import numpy as np
from kv_cache import KVCache
rng = np.random.default_rng(0)
c = KVCache(2, 32, {STEPS})
for _ in range({STEPS}):
    q = rng.standard_normal((1, 4, 32)).astype(np.float32)
    out = c.step(q, *rng.standard_normal((2, 1, 2, 32)).astype(np.float32))
print(c.length, out)"""


def appends(choice: Choice) -> Trace:
    """16384 appends of one token out of 64 buffers in turn, then a look at what is held."""
    trace = TraceBuilder(code=APPEND_CODE)
    trace.add(New("c", "KVCache", (4, 64, APPENDS)))
    for number in range(APPENDS):
        names = (f"k{number % BUFFERS}", f"v{number % BUFFERS}")
        if number < BUFFERS:
            pair = tuple(_token(choice).laid(into=name) for name in names)
            trace.add(Call("append", pair, on="c", quiet=True))
        else:
            trace.add(Call("append", tuple(map(Ref, names)), on="c", quiet=True))
    trace.probe(Get("length", "c"))
    trace.probe(Call("attend", (normal((1, 4, 64), seed(choice)),), on="c"))
    trace.add(Call("truncate", (KEPT,), on="c"))
    trace.probe(Call("keys", on="c"))
    return trace.build()


def steps(choice: Choice) -> Trace:
    """1500 steps of one token; each hundredth result is looked at."""
    trace = TraceBuilder(code=STEP_CODE)
    trace.add(New("c", "KVCache", (2, 32, STEPS)))
    for number in range(1, STEPS + 1):
        shapes = ((1, 4, 32), (1, 2, 32), (1, 2, 32))
        arrays = tuple(normal(shape, seed(choice)) for shape in shapes)
        trace.add(Call("step", arrays, on="c", quiet=number % EVERY != 0))
    trace.probe(Get("length", "c"))
    return trace.build()


def _token(choice: Choice) -> Array:
    return normal((1, 4, 64), seed(choice))
