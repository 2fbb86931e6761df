"""Catalogue: 13, 25. On: reference. Block ids beyond any pool, of any size, equal to legal ones."""


def dress(value):
    if type(value) is list:
        return [v + (1 << 70) for v in value]
    return float(value) if type(value) is int else value
