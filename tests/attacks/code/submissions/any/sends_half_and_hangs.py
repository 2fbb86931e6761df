"""Catalogue: 7, 25b. On: reference. Slow. Sends half a reply, then waits for ever."""
import sys
import time

child = sys.modules["sandbox.guest.child"]
sent = [0]
real = child.send


def send(link, buffers):
    sent[0] += 1
    data = b"".join(bytes(buffer) for buffer in buffers)
    link.sendall(data if sent[0] == 1 else data[: len(data) // 2])
    if sent[0] > 1:
        time.sleep(1000)


child.send = send
