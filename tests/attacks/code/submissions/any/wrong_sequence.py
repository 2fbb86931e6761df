"""Catalogue: 7. On: reference. Right nonce, other sequence numbers."""
import sys

wire = sys.modules["sandbox.wire"]
real = wire.pack
wire.pack = lambda nonce, sequence, body, chunks, more=False: real(
    nonce, sequence + 1, body, chunks, more=more
)
