"""Catalogue: 25. Slow. Unpacks a bomb of zeros and one of pickled lists."""
import pickle
import zlib

BOMB = zlib.compress(b"\0" * (8 << 20), 9)
PICKLE = b"(" + b"]" + b"2(" * 20_000 + b"t" * 20_000 + b"."


def before_call(args, kwargs):
    held = [zlib.decompress(BOMB) for _ in range(1000)]
    try:
        pickle.loads(PICKLE)
    except Exception:
        pass
    return held
