"""Kills: FA2, FA3, FA6. The denominator keeps its old weights when the maximum rises."""

import math

import numpy as np


def flash_attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    *,
    causal: bool = False,
    scale: float | None = None,
    key_mask: np.ndarray | None = None,
    block_q: int = 64,
    block_k: int = 64,
    return_lse: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Attention of one head without the matrix of scores.

    Args:
        q: Queries (Nq, d).
        k: Keys (Nk, d).
        v: Values (Nk, dv).
        causal: Whether row i sees only keys up to i + Nk - Nq.
        scale: Factor of the scores; None is 1 / sqrt(d).
        key_mask: (Nk,) bool, True where a key may be seen.
        block_q: Rows of a tile.
        block_k: Columns of a tile.
        return_lse: Whether to give the logarithm of each row's denominator too.

    Returns:
        (Nq, dv) in the type of the inputs; with `return_lse` also (Nq,) float32 or float64.

    Raises:
        ValueError: Shapes or types disagree, or a tile is empty.
    """
    _check(q, k, v, key_mask, block_q, block_k)
    work = np.float64 if q.dtype == np.float64 else np.float32
    n_q, dim = q.shape
    factor = 1 / math.sqrt(dim) if scale is None else scale
    out = np.zeros((n_q, v.shape[1]), q.dtype)
    lse = np.full(n_q, -np.inf, work)
    for start in range(0, n_q, block_q):
        rows = slice(start, min(start + block_q, n_q))
        position = np.arange(rows.start, rows.stop) + (len(k) - n_q) if causal else None
        scaled = np.multiply(q[rows], factor, dtype=work)
        out[rows], lse[rows] = _query_tile(scaled, k, v, position, key_mask, block_k)
    return (out, lse) if return_lse else out


def _check(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    key_mask: np.ndarray | None,
    block_q: int,
    block_k: int,
) -> None:
    if not q.ndim == k.ndim == v.ndim == 2:
        raise ValueError("q, k and v must be matrices")
    if q.shape[1] != k.shape[1] or len(k) != len(v):
        raise ValueError(f"shapes disagree: q {q.shape}, k {k.shape}, v {v.shape}")
    if not q.dtype == k.dtype == v.dtype:
        raise ValueError(f"types disagree: {q.dtype}, {k.dtype}, {v.dtype}")
    if min(block_q, block_k) < 1:
        raise ValueError(f"tiles of {block_q} by {block_k} are empty")
    if key_mask is not None and (key_mask.shape != (len(k),) or key_mask.dtype != np.bool_):
        raise ValueError(f"key_mask must be {len(k)} booleans")


def _query_tile(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    position: np.ndarray | None,
    key_mask: np.ndarray | None,
    block_k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Output and lse of some rows, their queries already scaled.

    Args:
        position: Last key that each row may see; None for all of them.
    """
    highest = np.full(len(q), -np.inf, q.dtype)
    total = np.zeros(len(q), q.dtype)
    weighted = np.zeros((len(q), v.shape[1]), q.dtype)
    stop = len(k) if position is None else min(len(k), position[-1] + 1)
    for start in range(0, stop, block_k):
        keys = slice(start, min(start + block_k, stop))
        scores = q @ k[keys].T.astype(q.dtype)
        if key_mask is not None:
            scores[:, ~key_mask[keys]] = -np.inf
        if position is not None:
            scores[np.arange(keys.start, keys.stop) > position[:, None]] = -np.inf
        risen = np.maximum(highest, scores.max(axis=1))
        shift = np.where(np.isneginf(risen), 0, risen)
        weights = np.exp(scores - shift[:, None])
        rescale = np.exp(highest - shift)
        total = total + weights.sum(axis=1)
        weighted = weighted * rescale[:, None] + weights @ v[keys].astype(q.dtype)
        highest = risen
    seen = total > 0
    total = np.where(seen, total, 1)
    return weighted / total[:, None], np.where(seen, highest + np.log(total), -np.inf)
