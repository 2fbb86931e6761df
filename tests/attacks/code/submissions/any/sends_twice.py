"""Catalogue: 7. On: reference. Sends every reply twice."""
import sys

child = sys.modules["sandbox.guest.child"]
real = child.send


def send(link, buffers):
    kept = [bytes(buffer) for buffer in buffers]
    real(link, kept)
    real(link, kept)


child.send = send
