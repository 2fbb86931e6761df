"""Public examples: what a learner may run."""

from typing import Any

import numpy as np

from grader.exercises.authoring import Call, Example, Line, Raises, given


def _matrix(*rows: list[float]) -> Any:
    return given(np.array(rows, np.float32))


_Q = _matrix([0], [1])
_K = _matrix([0], [0])
_V = _matrix([2, 4], [6, 8])


def _call(q: Any = _Q, k: Any = _K, v: Any = _V, **options: Any) -> Call:
    return Call("flash_attention", (q, k, v), options)


def _right(*rows: list[float]) -> Any:
    return np.array(rows, np.float32)


EXAMPLES = (
    Example("equal scores give the mean of v", (Line(_call(), _right([4, 6], [4, 6])),)),
    Example(
        "one key per tile: the same result",
        (Line(_call(block_q=1, block_k=1), _right([4, 6], [4, 6])),),
    ),
    Example(
        "causal: row 0 sees key 0 alone",
        (Line(_call(causal=True), _right([2, 4], [4, 6])),),
    ),
    Example(
        "causal with one query and two keys: the query is the last position",
        (Line(_call(q=_matrix([5]), causal=True), _right([4, 6])),),
    ),
    Example(
        "more queries than keys: the first row sees nothing and is 0",
        (
            Line(
                _call(q=_matrix([0], [0], [0]), causal=True),
                _right([0, 0], [2, 4], [4, 6]),
            ),
        ),
    ),
    Example(
        "a masked key does not count, whatever it holds",
        (
            Line(
                _call(k=_matrix([0], [1000]), key_mask=given(np.array([True, False]))),
                _right([2, 4], [2, 4]),
            ),
        ),
    ),
    Example(
        "large scores do not overflow",
        (
            Line(
                _call(q=_matrix([100]), k=_matrix([100], [-100]), scale=1.0),
                _right([2, 4]),
            ),
        ),
    ),
    Example("a tile has at least one key", (Line(_call(block_k=0), Raises("ValueError")),)),
)
