"""Catalogue: 25. Takes memory page by page without end, deaf to MemoryError."""
held = []


def before_call(args, kwargs):
    while True:
        try:
            held.append(bytearray(b"x") * (4 << 20))
        except MemoryError:
            pass
