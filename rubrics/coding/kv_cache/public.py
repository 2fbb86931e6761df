"""Public examples: what a learner may run."""

import numpy as np

from grader.exercises.authoring import Array, Call, Example, Get, Line, New, Raises, given


def _tokens(*numbers: list[float]) -> Array:
    """Tokens of one head."""
    return given(np.array(numbers, np.float32)[:, None, :])


_K = _tokens([1, 0], [0, 1])
_V = _tokens([2, 4], [6, 8])
_ZERO = _tokens([0, 0])

EXAMPLES = (
    Example(
        "one token: its value is all there is to see",
        (
            Line(New("c", "KVCache", (1, 2, 8))),
            Line(Call("append", (_tokens([1, 0]), _tokens([3, 5])), on="c")),
            Line(Get("length", "c"), 1),
            Line(Get("bytes_per_token", "c"), 16),
            Line(Call("attend", (_tokens([9, 9]),), on="c"), np.array([[[3, 5]]], np.float32)),
        ),
    ),
    Example(
        "two rows: the first does not see the second token",
        (
            Line(New("c", "KVCache", (1, 2, 2))),
            Line(Call("append", (_K, _V), on="c")),
            Line(
                Call("attend", (_tokens([0, 0], [0, 0]),), on="c"),
                np.array([[[2, 4]], [[4, 6]]], np.float32),
            ),
        ),
    ),
    Example(
        "step appends, then attends; scale 0.0 is the plain mean",
        (
            Line(New("c", "KVCache", (1, 2, 8))),
            Line(Call("append", (_K, _V), on="c")),
            Line(
                Call("step", (_tokens([7, 7]), _ZERO, _tokens([4, 0])), {"scale": 0.0}, on="c"),
                np.array([[[4, 4]]], np.float32),
            ),
            Line(Call("truncate", (1,), on="c")),
            Line(Call("values", on="c"), np.array([[[2, 4]]], np.float32)),
        ),
    ),
    Example(
        "two KV heads, four query heads: query heads 0 and 1 read KV head 0",
        (
            Line(New("c", "KVCache", (2, 1, 8))),
            Line(
                Call(
                    "append",
                    (
                        given(np.zeros((1, 2, 1), np.float32)),
                        given(np.array([[[1], [2]]], np.float32)),
                    ),
                    on="c",
                )
            ),
            Line(
                Call("attend", (given(np.ones((1, 4, 1), np.float32)),), on="c"),
                np.array([[[1], [1], [2], [2]]], np.float32),
            ),
        ),
    ),
    Example(
        "exactly full is legal, one more is not",
        (
            Line(New("c", "KVCache", (1, 2, 2))),
            Line(Call("append", (_K, _V), on="c")),
            Line(Call("append", (_ZERO, _ZERO), on="c"), Raises("CacheFull")),
            Line(Get("length", "c"), 2),
        ),
    ),
)
