"""Catalogue: 13, 25. Texts that cannot be encoded, in results, names and messages."""
calls = [0]
TEXT = "\ud800\udfff\x00\x1b[31m\u202e" * 50


def before_call(args, kwargs):
    calls[0] += 1
    print(TEXT)
    if calls[0] % 3 == 0:
        raise type("Odd", (Exception,), {})(TEXT)


def dress(value):
    return [TEXT, {TEXT: TEXT}, b"\xff\xfe", {1.5: 2, None: 3, (1, 2): 4}][calls[0] % 4]
