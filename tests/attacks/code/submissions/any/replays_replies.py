"""Catalogue: 7. On: reference. Sends the second reply again in place of all later ones."""
import sys

child = sys.modules["sandbox.guest.child"]
real = child.send
sent = []


def send(link, buffers):
    kept = [bytes(buffer) for buffer in buffers]
    sent.append(kept)
    real(link, sent[1] if len(sent) > 2 else kept)


child.send = send
