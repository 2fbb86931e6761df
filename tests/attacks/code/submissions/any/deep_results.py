"""Catalogue: 25. Slow. Results are nested a million deep, contain themselves, or are wide."""
DEEP = []
for _ in range(1_000_000):
    DEEP = [DEEP]
LOOP = []
LOOP.append(LOOP)
MAP = {}
MAP["m"] = MAP
WIDE = [0]
for _ in range(24):
    WIDE = [WIDE] * 2
calls = [0]


def dress(value):
    calls[0] += 1
    return [DEEP, LOOP, MAP, (LOOP, DEEP), WIDE][calls[0] % 5]
