import numpy as np


class CacheFull(Exception):
    """No room."""


class KVCache:
    """Looks right: right shapes and types everywhere, but attends to nothing."""

    def __init__(self, n_kv_heads, head_dim, max_seq_len, dtype="float32"):
        self.shape, self.dtype = (n_kv_heads, head_dim), dtype
        self.tokens = 0

    @property
    def length(self):
        return self.tokens

    @property
    def bytes_per_token(self):
        return 2 * self.shape[0] * self.shape[1] * 4

    def append(self, k, v):
        self.tokens += len(k)

    def attend(self, q, scale=None):
        return np.full(q.shape, 0.125, np.float32)

    def step(self, q, k, v, scale=None):
        self.append(k, v)
        return self.attend(q)

    def keys(self):
        return np.full((self.tokens, *self.shape), 0.125, self.dtype)

    def values(self):
        return self.keys()

    def truncate(self, length):
        self.tokens = length

    def reset(self):
        self.tokens = 0
