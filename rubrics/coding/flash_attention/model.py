"""Attention in float64, and comparing what was seen with it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.exercises.authoring import (
    CLOSE16,
    CLOSE32,
    CLOSE64,
    Array,
    Call,
    Mismatch,
    Ref,
    Work,
    array_mismatch,
    described,
    shown,
)
from sandbox.observation import Kind, Observation

AnyArray = npt.NDArray[Any]

TOLERANCES = {"float16": CLOSE16, "float32": CLOSE32, "float64": CLOSE64}
MOST_ROWS = 512
SAMPLED_ROWS = 32


@dataclass(frozen=True)
class Attended:
    """What attention gives for some of its rows.

    Attributes:
        out: (rows, dv) float64; zero where nothing is visible.
        lse: (rows,) float64; -inf there.
        rows: Which rows these are.
    """

    out: AnyArray
    lse: AnyArray
    rows: AnyArray

    @property
    def empty(self) -> AnyArray:
        """Which of these rows see nothing."""
        return np.isneginf(self.lse)


@dataclass(frozen=True)
class Request:
    """The arguments of one call.

    Attributes:
        given: What was not left to its default, by name.
    """

    q: AnyArray
    k: AnyArray
    v: AnyArray
    given: dict[str, Any]

    @property
    def dtype(self) -> str:
        """Type of inputs and output."""
        return str(self.q.dtype.name)

    @property
    def lse_dtype(self) -> str:
        """Type of the logarithms."""
        return "float64" if self.dtype == "float64" else "float32"

    @property
    def with_lse(self) -> bool:
        """Whether a tuple is asked for."""
        return bool(self.given.get("return_lse"))

    def attended(self) -> Attended:
        """The right answer, on the rows that are looked at."""
        q, k, v = (x.astype(np.float64) for x in (self.q, self.k, self.v))
        scale, mask = self.given.get("scale"), self.given.get("key_mask")
        rows = looked_at(len(q))
        scores = (1 / math.sqrt(q.shape[1]) if scale is None else scale) * (q[rows] @ k.T)
        visible = np.ones(scores.shape, bool) if mask is None else np.tile(mask, (len(rows), 1))
        if self.given.get("causal"):
            visible &= np.arange(len(k)) <= (rows + len(k) - len(q))[:, None]
        return _softmax_sum(np.where(visible, scores, -np.inf), v, rows)


def _softmax_sum(scores: AnyArray, v: AnyArray, rows: AnyArray) -> Attended:
    highest = scores.max(axis=1, initial=-np.inf)
    shift = np.where(np.isneginf(highest), 0.0, highest)
    weights = np.exp(scores - shift[:, None])
    total = weights.sum(axis=1)
    out = (weights @ v) / np.where(total > 0, total, 1.0)[:, None]
    with np.errstate(divide="ignore"):
        return Attended(out, shift + np.log(total), rows)


def looked_at(rows: int) -> AnyArray:
    """Which rows of a result are compared: all, or an even sample of very many."""
    if rows <= MOST_ROWS:
        return np.arange(rows)
    return np.unique(np.linspace(0, rows - 1, SAMPLED_ROWS).astype(int))


def request_of(op: Call, held: dict[str, AnyArray]) -> Request:
    """The arguments of a call as plain arrays; kept ones are booked under their handles."""
    names = ("q", "k", "v")
    values = dict(zip(names, op.args, strict=False)) | dict(op.kwargs)
    for value in values.values():
        if isinstance(value, Array) and value.into:
            held[value.into] = np.array(value.values)
    plain = {name: _plain(value, held) for name, value in values.items()}
    q, k, v = (plain.pop(name) for name in names)
    return Request(q, k, v, plain)


def _plain(value: Any, held: dict[str, AnyArray]) -> Any:
    if isinstance(value, Array):
        return value.values
    return held[value.name] if isinstance(value, Ref) else value


@dataclass(frozen=True)
class Look:
    """What of an answer one invariant looks at.

    Attributes:
        out: Whether rows that see something are compared.
        empty: Whether rows that see nothing must be 0 and -inf, and nothing NaN.
        lse: Whether the logarithms are compared.
    """

    out: bool = True
    empty: bool = False
    lse: bool = False

    def mismatch(self, request: Request, got: Observation, work: Work) -> Mismatch | None:
        """What is wrong with the answer to a call; None if nothing that is looked at."""
        right = request.attended()
        parts = _parts(request, got)
        if isinstance(parts, Mismatch):
            return parts
        out, lse = parts
        wrong = self._out_mismatch(request, right, out)
        if wrong is None and lse is not None:
            wrong = self._lse_mismatch(request, right, lse)
        if wrong is None:
            work["rows"] += int((~right.empty).sum())
            work["empty"] += int(right.empty.sum())
            work["lse"] += lse is not None and len(right.rows)
        return wrong

    def _out_mismatch(self, request: Request, right: Attended, out: Any) -> Mismatch | None:
        chosen = ~right.empty if self.out else np.zeros(len(right.rows), bool)
        chosen = chosen | right.empty if self.empty else chosen
        shape = (len(request.q), request.v.shape[1])
        seen, wanted = _only(out, shape, right.rows[chosen], right.out[chosen])
        if wrong := array_mismatch(seen, wanted, TOLERANCES[request.dtype], request.dtype):
            return wrong
        nothing = right.rows[right.empty]
        if self.empty and (out[nothing] != 0).any():
            row = nothing[(out[nothing] != 0).any(axis=1)][0]
            return Mismatch(f"exactly 0 in row {row}, which sees no key", shown(out[row]))
        return None

    def _lse_mismatch(self, request: Request, right: Attended, lse: Any) -> Mismatch | None:
        chosen = right.empty if self.empty else np.zeros(len(right.rows), bool)
        chosen = chosen | self.lse
        seen, wanted = _only(lse, (len(request.q),), right.rows[chosen], right.lse[chosen])
        wrong = array_mismatch(seen, wanted, TOLERANCES[request.lse_dtype], request.lse_dtype)
        return wrong and Mismatch(f"lse: {wrong.expected}", f"lse: {wrong.got}")


def _only(
    seen: Any, shape: tuple[int, ...], rows: AnyArray, right: AnyArray
) -> tuple[Observation, AnyArray]:
    """What was seen and what is right, with zeros in all rows but those compared."""
    wanted = np.zeros(shape)
    wanted[rows] = right
    if type(seen) is np.ndarray and seen.shape == shape:
        kept = np.zeros_like(seen)
        kept[rows] = seen[rows]
        seen = kept
    return Observation(Kind.VALUE, seen), wanted


def _parts(request: Request, got: Observation) -> tuple[Any, Any] | Mismatch:
    """Output and logarithms of an answer; the latter None where they were not asked for."""
    if got.kind is not Kind.VALUE:
        return Mismatch("a result, no error", described(got))
    if not request.with_lse:
        return got.value, None
    if type(got.value) is not tuple or len(got.value) != 2:
        return Mismatch("a tuple (out, lse)", described(got))
    return got.value[0], got.value[1]
