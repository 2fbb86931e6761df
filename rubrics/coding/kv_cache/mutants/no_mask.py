"""Kills: KV1, KV2, KV4. Every row sees everything, as if there were but one."""

import math

import numpy as np


class CacheFull(Exception):
    """More tokens than the cache can hold."""


class KVCache:
    """Keys and values of up to `max_seq_len` tokens of one attention layer.

    Args:
        n_kv_heads: Key-value heads.
        head_dim: Numbers in one head of one token.
        max_seq_len: Tokens that fit.
        dtype: Storage type, "float32" or "float16".

    Raises:
        ValueError: A size below 1 or another storage type.
    """

    def __init__(
        self, n_kv_heads: int, head_dim: int, max_seq_len: int, dtype: str = "float32"
    ) -> None:
        if min(n_kv_heads, head_dim, max_seq_len) < 1:
            raise ValueError("every size must be at least 1")
        if dtype not in ("float32", "float16"):
            raise ValueError(f"cannot store {dtype!r}")
        self._k = np.zeros((max_seq_len, n_kv_heads, head_dim), dtype)
        self._v = np.zeros_like(self._k)
        self._length = 0

    @property
    def length(self) -> int:
        """Tokens kept."""
        return self._length

    @property
    def bytes_per_token(self) -> int:
        """Bytes that one token takes."""
        return 2 * int(self._k[0].nbytes)

    def append(self, k: np.ndarray, v: np.ndarray) -> None:
        """Adds tokens after those kept.

        Raises:
            ValueError: Wrong shape.
            CacheFull: They do not fit.
        """
        self._check_tokens(k, v)
        self._check_room(len(k))
        self._store(k, v)

    def attend(self, q: np.ndarray, scale: float | None = None) -> np.ndarray:
        """Causal attention of the last `len(q)` positions over everything kept.

        Raises:
            ValueError: Wrong shape, or more rows than tokens.
        """
        self._check_query(q, self._length)
        return self._attention(q, scale)

    def step(
        self, q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float | None = None
    ) -> np.ndarray:
        """Appends, then attends; where it raises, nothing was appended.

        Raises:
            ValueError: Wrong shape, or more rows than tokens.
            CacheFull: The tokens do not fit.
        """
        self._check_tokens(k, v)
        self._check_query(q, self._length + len(k))
        self._check_room(len(k))
        self._store(k, v)
        return self._attention(q, scale)

    def keys(self) -> np.ndarray:
        """A copy of the keys kept."""
        return self._k[: self._length].copy()

    def values(self) -> np.ndarray:
        """A copy of the values kept."""
        return self._v[: self._length].copy()

    def truncate(self, length: int) -> None:
        """Keeps the first `length` tokens.

        Raises:
            ValueError: More than are kept, or fewer than none.
        """
        if not 0 <= length <= self._length:
            raise ValueError(f"cannot keep {length} of {self._length} tokens")
        self._length = length

    def reset(self) -> None:
        """Forgets every token."""
        self._length = 0

    def _check_tokens(self, k: np.ndarray, v: np.ndarray) -> None:
        if k.ndim != 3 or k.shape[1:] != self._k.shape[1:] or v.shape != k.shape:
            raise ValueError(f"k {k.shape} and v {v.shape} must be (T, *{self._k.shape[1:]})")

    def _check_room(self, tokens: int) -> None:
        if self._length + tokens > len(self._k):
            raise CacheFull(f"{self._length} + {tokens} tokens exceed {len(self._k)}")

    def _check_query(self, q: np.ndarray, length: int) -> None:
        _, kv_heads, head_dim = self._k.shape
        if q.ndim != 3 or q.shape[2] != head_dim:
            raise ValueError(f"q {q.shape} must be (rows, heads, {head_dim})")
        if q.shape[1] == 0 or q.shape[1] % kv_heads:
            raise ValueError(f"{q.shape[1]} query heads are no positive multiple of {kv_heads}")
        if len(q) > length:
            raise ValueError(f"{len(q)} query rows, but only {length} tokens")

    def _store(self, k: np.ndarray, v: np.ndarray) -> None:
        end = self._length + len(k)
        self._k[self._length : end] = k
        self._v[self._length : end] = v
        self._length = end

    def _attention(self, q: np.ndarray, scale: float | None) -> np.ndarray:
        rows, heads, dim = q.shape
        kv_heads, length = self._k.shape[1], self._length
        group = heads // kv_heads
        scale = 1 / math.sqrt(dim) if scale is None else scale
        k = self._k[:length].astype(np.float32, copy=False).transpose(1, 2, 0)
        v = self._v[:length].astype(np.float32, copy=False).transpose(1, 0, 2)
        grouped = q.astype(np.float32).reshape(rows, kv_heads, group, dim).transpose(1, 2, 0, 3)
        scores = (grouped.reshape(kv_heads, group * rows, dim) @ k) * np.float32(scale)
        scores = scores.reshape(kv_heads, group, rows, length)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
        weights /= weights.sum(axis=-1, keepdims=True)
        out = weights.reshape(kv_heads, group * rows, length) @ v
        out = out.reshape(kv_heads, group, rows, dim).transpose(2, 0, 1, 3)
        return np.ascontiguousarray(out.reshape(rows, heads, dim))
