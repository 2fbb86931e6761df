"""Catalogue: 7, 25. On: reference. Answers with JSON too deep and numbers too long to parse."""
import sys

wire = sys.modules["sandbox.wire"]
real = wire.pack
BODIES = ["[" * 90_000 + "]" * 90_000, "9" * 900_000, '[["v",["i","' + "f" * 900_000 + '"]]]', "{}"]
calls = [0]


def pack(nonce, sequence, body, chunks, more=False):
    calls[0] += 1
    if calls[0] > 1:
        body, chunks = BODIES[calls[0] % len(BODIES)], []
    return real(nonce, sequence, body, chunks, more=more)


wire.pack = pack
