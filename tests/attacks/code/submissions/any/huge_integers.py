"""Catalogue: 25. Slow. Results are integers of millions of digits."""
HUGE = 1 << 40_000_000
calls = [0]


def dress(value):
    calls[0] += 1
    return [HUGE, -HUGE, [HUGE] * 100, {HUGE: HUGE}, 1 << 16384, 1 << 16385][calls[0] % 6]
