"""Histories that ask for care with numbers: scales, large logits, half-precision storage."""

from typing import Any

import numpy as np
import numpy.typing as npt

from grader.exercises.authoring import Array, Call, Choice, Get, New, Trace, whole

from .operations import DIMS, Scene, seed

LONG = 4096


def scales(choice: Choice) -> Trace:
    """The default scale, zero and negative ones."""
    scene = Scene(choice, choice.integer(1, 2), choice.member(DIMS), 16)
    scene.append(choice.integer(2, 8))
    for scale in (0.0, -0.25, None):
        scene.attend(1, scale=scale)
    scene.step(1, 1, scale=choice.member((0.0, -0.125, -0.5)))
    scene.attend(2, scale=choice.member((0.0, -0.25)))
    return scene.trace.build()


def large_logits(choice: Choice) -> Trace:
    """Whole numbers whose scores reach 1e4 both ways, row by row and head by head."""
    heads, rows = choice.integer(1, 2), choice.integer(2, 4)
    tokens = choice.integer(rows, 12)
    scene = Scene(choice, heads, 4, tokens)
    k = _led(whole((tokens, heads, 4), seed(choice), -9, 9), (100,), 0)
    scene.append_these([k, scene.tokens(tokens)], tokens)
    q = whole((rows, heads, 4), seed(choice), -3, 3)
    levels = choice.member(((0, 100), (0, -100), (100, -100), (100, 100), (-100, -100)))
    scene.attend_with(_led(q, levels, choice.integer(0, 1)), choice.member((1.0, 0.5, -1.0)))
    return scene.trace.build()


def _led(array: Array, levels: tuple[int, ...], start: int) -> Array:
    """The array with the first number of each head set, the levels taking turns by row."""

    def turns(rows: int) -> npt.NDArray[Any]:
        return np.resize(np.roll(levels, start), rows)[:, None]

    def make() -> npt.NDArray[Any]:
        made = np.array(array.values)
        made[..., 0] = turns(len(made))
        return made

    rows = array.values.shape[0]
    lead = f"np.array({turns(rows).tolist()})"
    return Array(
        f"np.where(np.arange(4) == 0, {lead}[..., None], {array.code}).astype(np.float32)", make
    )


def half_storage(choice: Choice) -> Trace:
    """Float16 storage: rounded once, half the bytes, exact sums."""
    tokens = choice.integer(1, 8)
    scene = Scene(choice, choice.integer(1, 2), choice.member(DIMS), tokens + 4, "float16")
    scene.inputs = choice.member(("float32", "float64", "float16"))
    scene.append(tokens)
    scene.trace.probe(Get("bytes_per_token", "c"))
    scene.attend(min(tokens, 3))
    scene.step(1, 1)
    scene.look()
    return scene.trace.build()


def storage_types(choice: Choice) -> Trace:
    """Bytes of a token in both storage types."""
    trace = Scene(choice, choice.integer(1, 8), choice.integer(1, 64), 4).trace
    trace.add(New("h", "KVCache", (choice.integer(1, 8), choice.integer(1, 64), 4, "float16")))
    trace.probe(Get("bytes_per_token", "c"))
    trace.probe(Get("bytes_per_token", "h"))
    return trace.build()


def long_half(choice: Choice) -> Trace:
    """4096 tokens in float16: a running sum in that type would stop at 2048."""
    scene = Scene(choice, 1, 4, LONG, "float16")
    k, v = scene.tokens(LONG), whole((LONG, 1, 4), seed(choice), 1, 3)
    scene.append_these([k, v], LONG)
    scene.attend(2)
    scene.attend(1, scale=0.0)
    scene.trace.probe(Call("attend", (scene.queries(1),), {"scale": -0.5}, on="c"))
    return scene.trace.build()
