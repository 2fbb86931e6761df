"""Catalogue: 25, 25b. Slow. Every result is an array of 128 MiB, or lists and texts of many."""
import numpy as np

calls = [0]
MAKE = [
    lambda: np.zeros(16 << 20),
    lambda: [0] * 2_000_000,
    lambda: "x" * (16 << 20),
    lambda: b"x" * (16 << 20),
    lambda: {str(n): n for n in range(200_000)},
]


def dress(value):
    calls[0] += 1
    return MAKE[calls[0] % len(MAKE)]()
