"""Catalogue: 25. On: reference. Prints without end to standard output."""
LINE = "x" * 65536


def before_call(args, kwargs):
    while True:
        print(LINE)
