"""Catalogue: 19, 27. On: reference. Right in the first trace of a process, wrong in later ones."""
made = [0]


def before_call(args, kwargs):
    if len(args) == 3 and not hasattr(args[0], "_counts"):
        made[0] += 1


def dress(value):
    return value if made[0] <= 3 else 0
