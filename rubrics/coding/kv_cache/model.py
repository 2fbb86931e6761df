"""What a cache must hold and answer, computed in float64, and the replay of a trace against it."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.exercises.authoring import (
    CLOSE32,
    Array,
    Call,
    Get,
    Mismatch,
    New,
    Op,
    Read,
    Ref,
    Work,
    Write,
    array_mismatch,
    described,
    value_mismatch,
)
from sandbox.observation import Kind, Observation

AnyArray = npt.NDArray[Any]

MOST_ROWS = 1024
SAMPLED_ROWS = 64


class Shadow:
    """The tokens that a cache must hold.

    Keys and values are kept as stored (rounded once) and as float64, for the reference.
    """

    def __init__(
        self, n_kv_heads: int, head_dim: int, max_seq_len: int, dtype: str = "float32"
    ) -> None:
        shape = (max_seq_len, n_kv_heads, head_dim)
        self.dtype = np.dtype(dtype)
        self.kv_heads = n_kv_heads
        self.length = 0
        self._k, self._v = np.zeros(shape), np.zeros(shape)

    @property
    def bytes_per_token(self) -> int:
        """Bytes of one token's keys and values."""
        return int(2 * self._k[0].size * self.dtype.itemsize)

    def append(self, k: AnyArray, v: AnyArray) -> None:
        """Adds tokens, rounded once to the storage type."""
        end = self.length + len(k)
        self._k[self.length : end] = k.astype(self.dtype)
        self._v[self.length : end] = v.astype(self.dtype)
        self.length = end

    def truncate(self, length: int) -> None:
        """Keeps the first tokens."""
        self.length = length

    def keys(self) -> AnyArray:
        """The keys in the storage type."""
        return self._k[: self.length].astype(self.dtype)

    def values(self) -> AnyArray:
        """The values in the storage type."""
        return self._v[: self.length].astype(self.dtype)

    def attend(self, q: AnyArray, scale: float | None, rows: AnyArray) -> AnyArray:
        """Rows of causal attention in float64.

        Args:
            q: Queries (Tq, n_q_heads, head_dim), aligned to the last token.
            scale: Factor of the scores; None is one over the root of head_dim.
            rows: Indices of the rows wanted.

        Returns:
            (len(rows), n_q_heads, head_dim).
        """
        heads, dim = q.shape[1:]
        group = heads // self.kv_heads
        factor = 1 / math.sqrt(dim) if scale is None else scale
        k = self._k[: self.length].transpose(1, 2, 0)
        v = self._v[: self.length].transpose(1, 0, 2)
        shape = (self.kv_heads, group * len(rows))
        side_by_side = q[rows].astype(np.float64).transpose(1, 0, 2).reshape(*shape, dim)
        scores = (factor * (side_by_side @ k)).reshape(heads, len(rows), self.length)
        last = self.length - len(q) + rows
        scores[..., np.arange(self.length) > last[:, None]] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
        weights /= weights.sum(axis=-1, keepdims=True)
        out: AnyArray = weights.reshape(*shape, self.length) @ v
        return out.reshape(heads, len(rows), dim).transpose(1, 0, 2)


def looked_at(rows: int) -> AnyArray:
    """Which rows of a result are compared: all, or an even sample of very many."""
    if rows <= MOST_ROWS:
        return np.arange(rows)
    return np.unique(np.linspace(0, rows - 1, SAMPLED_ROWS).astype(int))


class Books:
    """Follows a trace: caches by handle, and what every kept array must hold."""

    def __init__(self) -> None:
        self._caches: dict[str, Shadow] = {}
        self._arrays: dict[str, AnyArray] = {}

    def follow(self, op: Op, got: Observation, work: Work) -> Mismatch | None:
        """Books one legal operation and compares what was seen with what is right."""
        match op:
            case New(into=name):
                self._caches[name] = Shadow(*op.args, **op.kwargs)
                return _done(got)
            case Get(name=name, on=str(cache)):
                return value_mismatch(got, getattr(self._caches[cache], name))
            case Read(target=str(name)):
                work["read back"] += 1
                return value_mismatch(got, self._arrays[name])
            case Write(target=str(name)):
                return self._overwritten(name, _plain(op.value), op.at, got, work)
            case Call(on=str(cache)):
                return self._called(op, self._caches[cache], got, work)
        raise TypeError(f"unexpected operation {op!r}")

    def _called(self, op: Call, cache: Shadow, got: Observation, work: Work) -> Mismatch | None:
        args, scale = self._arguments(op)
        match op.name:
            case "append":
                cache.append(args["k"], args["v"])
                return _done(got)
            case "truncate" | "reset":
                cache.truncate(args.get("length", 0))
                return _done(got)
            case "keys" | "values":
                expected = getattr(cache, op.name)()
                self._keep(op.into, expected)
                return value_mismatch(got, expected)
            case "step":
                cache.append(args["k"], args["v"])
        return self._attended(op, cache, args["q"], scale, got, work)

    def _attended(
        self,
        op: Call,
        cache: Shadow,
        q: AnyArray,
        scale: float | None,
        got: Observation,
        work: Work,
    ) -> Mismatch | None:
        if op.quiet:
            return _done(got)
        if wrong := attention_mismatch(cache, q, scale, got):
            return wrong
        self._keep(op.into, got.value)
        work["attended"] += len(q) > 0
        work["grouped"] += q.shape[1] > cache.kv_heads > 1
        return None

    def _arguments(self, op: Call) -> tuple[dict[str, Any], float | None]:
        """Arguments by name; kept arrays are booked under their handles."""
        names = {"append": ("k", "v"), "attend": ("q", "scale"), "truncate": ("length",)}
        order = names.get(op.name, ("q", "k", "v", "scale"))
        values = dict(zip(order, op.args, strict=False)) | dict(op.kwargs)
        for value in values.values():
            if isinstance(value, Array):
                self._keep(value.into, value.values)
        found: dict[str, Any] = {
            name: self._arrays[value.name] if isinstance(value, Ref) else _plain(value)
            for name, value in values.items()
        }
        return found, found.pop("scale", None)

    def _keep(self, name: str | None, value: AnyArray) -> None:
        if name is not None:
            self._arrays[name] = np.array(value)

    def _overwritten(
        self, name: str, value: Any, at: Any, got: Observation, work: Work
    ) -> Mismatch | None:
        if got.kind is Kind.REFUSED:
            return None  # a result may be read-only, and then there is nothing to undo
        self._arrays[name][... if at is None else at] = value
        work["overwritten"] += 1
        return _done(got)


def attention_mismatch(
    cache: Shadow, q: AnyArray, scale: float | None, got: Observation
) -> Mismatch | None:
    """Whether a result of attend is right within close32, on the rows that are looked at."""
    rows = looked_at(len(q))
    expected = cache.attend(q, scale, rows)
    if len(rows) == len(q):
        return array_mismatch(got, expected, CLOSE32, "float32")
    whole = np.zeros(q.shape)
    if type(got.value) is np.ndarray and got.value.shape == q.shape:
        whole[...] = got.value
    whole[rows] = expected
    return array_mismatch(got, whole, CLOSE32, "float32")


def _done(got: Observation) -> Mismatch | None:
    return None if got.kind is Kind.VALUE else Mismatch("no error", described(got))


def _plain(value: Any) -> Any:
    return value.values if isinstance(value, Array) else value
