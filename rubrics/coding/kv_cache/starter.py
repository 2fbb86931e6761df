"""A key-value cache for attention: fill in the bodies, keep names and parameters."""

import numpy as np


class CacheFull(Exception):
    """More tokens than the cache can hold."""


class KVCache:
    """Keys and values of up to `max_seq_len` tokens of one attention layer."""

    def __init__(
        self, n_kv_heads: int, head_dim: int, max_seq_len: int, dtype: str = "float32"
    ) -> None:
        raise NotImplementedError

    @property
    def length(self) -> int:
        raise NotImplementedError

    @property
    def bytes_per_token(self) -> int:
        raise NotImplementedError

    def append(self, k: np.ndarray, v: np.ndarray) -> None:
        raise NotImplementedError

    def attend(self, q: np.ndarray, scale: float | None = None) -> np.ndarray:
        raise NotImplementedError

    def step(
        self, q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float | None = None
    ) -> np.ndarray:
        raise NotImplementedError

    def keys(self) -> np.ndarray:
        raise NotImplementedError

    def values(self) -> np.ndarray:
        raise NotImplementedError

    def truncate(self, length: int) -> None:
        raise NotImplementedError

    def reset(self) -> None:
        raise NotImplementedError
