"""The least wall time for given requests: a raw asyncio client that sends logged bodies again."""

import asyncio
import json
import resource
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Floor:
    """What the ideal client took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


async def resend(port: int, bodies: Sequence[Mapping[str, Any]], at_once: int) -> Floor:
    """Sends all bodies over ``at_once`` connections, each as soon as one is free."""
    waiting = deque(json.dumps(body).encode() for body in bodies)
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(_connection(port, waiting) for _ in range(at_once)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Floor(time.perf_counter() - wall, time.process_time() - cpu, peak)


async def _connection(port: int, waiting: deque[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while waiting:
        body = waiting.popleft()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        length = 0
        while (line := await reader.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        await reader.readexactly(length)
    writer.close()
