"""Catalogue: 7. On: reference. Sends half a reply, then leaves with status 0."""
import os
import sys

child = sys.modules["sandbox.guest.child"]


def send(link, buffers):
    data = b"".join(bytes(buffer) for buffer in buffers)
    link.sendall(data[: len(data) // 2])
    os._exit(0)


child.send = send
