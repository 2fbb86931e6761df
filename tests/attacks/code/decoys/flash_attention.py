import numpy as np


def flash_attention(
    q,
    k,
    v,
    *,
    causal=False,
    scale=None,
    key_mask=None,
    block_q=64,
    block_k=64,
    return_lse=False,
):
    """Looks right: right shapes and types, but attends to nothing."""
    out = np.full((len(q), v.shape[1] if v.ndim == 2 else 1), 0.125, q.dtype)
    return (out, np.full(len(q), 0.125, np.float32)) if return_lse else out
