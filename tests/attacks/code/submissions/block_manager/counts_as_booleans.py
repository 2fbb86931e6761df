"""Catalogue: 13. On: reference. True and False where 1 and 0 are right; they compare equal."""


def dress(value):
    return bool(value) if type(value) is int and value in (0, 1) else value
