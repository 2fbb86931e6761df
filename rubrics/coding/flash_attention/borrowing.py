"""Types, ownership and errors; as simple as can be.

Where ownership is looked at all keys are alike, so that every row is the mean of the values
whatever the scale; no call has more than one tile.
"""

from typing import Any

import numpy as np

from grader.exercises.arrays import Layout
from grader.exercises.authoring import (
    Array,
    Call,
    Choice,
    Read,
    Ref,
    Trace,
    TraceBuilder,
    Write,
    filled,
    normal,
)

from .operations import Triple, attention, named, only, seed, triple

LAYOUTS: tuple[Layout, ...] = ("contiguous", "strided", "reversed", "transposed")
DTYPES = ("float32", "float16", "float64")
HALF_KEYS = 8192

Shape = tuple[int, ...]


def types(choice: Choice) -> Trace:
    """The result has the type of the inputs and its precision."""
    n_q, n_k = choice.integer(1, 6), choice.integer(1, 6)
    dim, dim_v = choice.integer(1, 8), choice.integer(1, 8)
    kinds = [choice.member(DTYPES) for _ in range(2)]
    calls = [attention(triple(choice, n_q, n_k, dim, dim_v, kind), scale=1.0) for kind in kinds]
    return only(*calls)


def half_sums(choice: Choice) -> Trace:
    """8192 equal weights in float16: a running sum of that type would stop at 2048."""
    n_q, dim, dim_v = choice.integer(1, 3), choice.integer(1, 2), choice.integer(1, 2)
    q, k = filled((n_q, dim), 0.0, "float16"), normal((HALF_KEYS, dim), seed(choice), "float16")
    v = Array(
        f"np.repeat([0.5, 1.5], {HALF_KEYS // 2})[:, None].repeat({dim_v}, 1).astype(np.float16)",
        lambda: np.repeat([0.5, 1.5], HALF_KEYS // 2)[:, None].repeat(dim_v, 1).astype("float16"),
    )
    return only(attention(named(q, k, v), block_k=1))


def _alike(choice: Choice, n_q: int, n_k: int) -> Triple:
    """Arrays whose keys are all one."""
    q, key = normal((n_q, 3), seed(choice)), normal((1, 3), seed(choice))
    k = Array(f"np.repeat({key.code}, {n_k}, 0)", lambda: np.repeat(key.values, n_k, 0))
    return named(q, k, normal((n_k, 2), seed(choice)))


def borrowed(choice: Choice) -> Trace:
    """Inputs in any layout, read back; results overwritten."""
    n_q, n_k = choice.integer(1, 5), choice.integer(2, 6)
    layout, readonly = choice.member(LAYOUTS), choice.boolean(0.4)
    arrays = [
        array.laid(layout, readonly=readonly, into=name)
        for name, array in zip("qkv", _alike(choice, n_q, n_k), strict=True)
    ]
    mask = filled((n_k,), True, "bool_").laid(layout, readonly=readonly, into="mask")
    trace = TraceBuilder()
    kept = choice.member((None, mask))
    trace.add(_call(arrays, into="first", key_mask=kept))
    for name in ("q", "k", "v", *(["mask"] if kept is not None else [])):
        trace.probe(Read(name))
    trace.add(_call([Ref(name) for name in "qkv"], into="second"))
    trace.add(Write("first", 7.0))
    for name in ("second", "q", "k", "v"):
        trace.probe(Read(name))
    return trace.build()


def single_key(choice: Choice) -> Trace:
    """One key: the result equals its value, yet is a copy; and beside it a real mean."""
    trace = TraceBuilder()
    trace.add(_call(list(triple(choice, 1, 1, 3, 2)), into="out"))
    trace.add(Write("out", 7.0))
    for name in "qkv":
        trace.probe(Read(name))
    trace.add(_call(list(_alike(choice, 2, choice.integer(2, 5))), into="mean"))
    return trace.build()


def _call(arrays: list[Any], into: str, **options: Any) -> Call:
    given = {name: value for name, value in options.items() if value is not None}
    return Call("flash_attention", tuple(arrays), given, into=into)


def refused(choice: Choice) -> Trace:
    """Illegal calls among legal ones."""
    trace = TraceBuilder()
    trace.add(attention(_alike(choice, 2, choice.integer(2, 5))))
    for _ in range(choice.integer(1, 6)):
        trace.add(choice.member(illegal_calls()), note="illegal")
    trace.add(attention(_alike(choice, 2, choice.integer(2, 5))))
    return trace.build()


def every_refusal(choice: Choice) -> Trace:
    """All illegal calls."""
    trace = TraceBuilder()
    for call in illegal_calls():
        trace.add(call, note="illegal")
    trace.add(attention(_alike(choice, 2, choice.integer(2, 5))))
    return trace.build()


def illegal_calls() -> list[Call]:
    """All kinds of illegal calls; their numbers do not matter."""
    shapes: list[tuple[Shape, Shape, Shape]] = [
        ((4,), (5, 4), (5, 2)),
        ((1, 3, 4), (5, 4), (5, 2)),
        ((3, 4), (4,), (5, 2)),
        ((3, 4), (1, 5, 4), (5, 2)),
        ((3, 4), (5, 4), (5,)),
        ((3, 4), (5, 4), (1, 5, 2)),
        ((3, 4), (5, 3), (5, 2)),
        ((3, 1), (5, 4), (5, 2)),
        ((3, 4), (5, 4), (6, 2)),
        ((3, 4), (5, 4), (1, 2)),
        ((3, 4), (0, 4), (5, 2)),
    ]
    good = _numbers(((3, 4), (5, 4), (5, 2)), "float32")
    masks = [
        filled((4,), True, "bool_"),
        filled((6,), True, "bool_"),
        filled((5, 1), True, "bool_"),
        filled((3, 5), True, "bool_"),
        filled((5,), 1, "int8"),
        filled((5,), 1, "float32"),
    ]
    return [
        *(attention(_numbers(each, "float32")) for each in shapes),
        *_mixed_types(),
        *(attention(good, **{name: size}) for name in ("block_q", "block_k") for size in (0, -1)),
        *(attention(good, key_mask=mask) for mask in masks),
    ]


def _mixed_types() -> list[Call]:
    shapes = ((3, 4), (5, 4), (5, 2))
    single, half, double = (_numbers(shapes, dtype) for dtype in DTYPES)
    return [
        attention((half[0], single[1], single[2])),
        attention((single[0], double[1], single[2])),
        attention((single[0], single[1], half[2])),
        attention((double[0], double[1], single[2])),
    ]


def _numbers(shapes: tuple[Shape, Shape, Shape], dtype: str) -> Triple:
    q, k, v = (normal(shape, 1, dtype) for shape in shapes)
    return q, k, v
