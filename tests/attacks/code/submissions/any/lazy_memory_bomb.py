"""Catalogue: 25. Asks for an enormous block at once and touches it from the end."""
import mmap


def before_call(args, kwargs):
    for size in (1 << 44, 1 << 36, 1 << 33, 1 << 31, 1 << 30):
        try:
            area = mmap.mmap(-1, size)
        except (OSError, OverflowError, ValueError):
            continue
        for place in range(size - 4096, 0, -4096):
            area[place] = 1
