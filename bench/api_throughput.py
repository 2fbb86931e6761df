"""What the API carries: accepted and graded a second, time to answer under load, start, memory.

A real ``grader serve`` process with the offline judge; the client is one process with
as many connections as it is told. Wall time is what a client sees; CPU time of the server is
given beside it, for the machine may be busy with something else.

    python -m bench.api_throughput [--submissions 600] [--connections 8] [--seconds 20]

``GRADER_DATABASE_URL`` has it run on PostgreSQL instead of SQLite.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

ANSWER = "Softmax weights must sum to one, so the mass is dumped on the first tokens ({})."
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Server:
    """A served folder."""

    def __init__(self, folder: Path) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "grader.cli", "serve", "--no-ui"),
                *("--data", str(folder), "--port", "0"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(b"listening on "):
                self.url = line.decode().split()[-1]
                break
        while httpx.get(f"{self.url}/readyz").status_code != 200:
            time.sleep(0.02)
        self.start_s = time.perf_counter() - self.began
        self.key = (folder / "admin.key").read_text().strip()

    @property
    def cpu_s(self) -> float:
        """CPU seconds so far, user and system."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    @property
    def resident_mib(self) -> float:
        """Resident memory now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * PAGE / 2**20

    def client(self) -> httpx.AsyncClient:
        """A client with the admin key."""
        return httpx.AsyncClient(
            base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=60
        )

    def end(self) -> None:
        """Asks it to stop."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


class Line:
    """One connection, as light as can be: what is measured shares the machine with it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._host = server.url.removeprefix("http://")
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, number: int) -> float:
        """Hands one answer in; returns the seconds it took."""
        try:
            return await self._post(number)
        except (asyncio.IncompleteReadError, ConnectionError):
            # The server lets a connection go that has been quiet for some seconds.
            self._streams = None
            return await self._post(number)

    async def _post(self, number: int) -> float:
        if self._streams is None or self._streams[0].at_eof():
            host, _, port = self._host.rpartition(":")
            self._streams = await asyncio.open_connection(host, int(port))
        reader, writer = self._streams
        body = json.dumps({"question_id": "attention-sinks", "text": ANSWER.format(number)})
        began = time.perf_counter()
        writer.write(
            (
                f"POST /v1/submissions HTTP/1.1\r\nHost: {self._host}\r\n"
                f"Authorization: Bearer {self._server.key}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}"
            ).encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        reply = await reader.readexactly(length)
        assert head.startswith(b"HTTP/1.1 202"), head + reply
        return time.perf_counter() - began


async def flood(server: Server, number: int, connections: int) -> float:
    """Hands answers in as fast as the connections allow; returns the seconds it took."""
    waiting = iter(range(number))
    began = time.perf_counter()

    async def work() -> None:
        line = Line(server)
        for n in waiting:
            await line.post(n)

    await asyncio.gather(*(work() for _ in range(connections)))
    return time.perf_counter() - began


async def batches(client: httpx.AsyncClient, number: int, size: int = 100) -> float:
    """Hands answers in by batches; returns the seconds it took."""
    began = time.perf_counter()
    for start in range(0, number, size):
        items = [
            {"question_id": "attention-sinks", "text": ANSWER.format(n)}
            for n in range(start, start + size)
        ]
        reply = await client.post("/v1/submissions:batch", json={"items": items})
        assert reply.status_code == 202, reply.text
    return time.perf_counter() - began


async def drained(client: httpx.AsyncClient) -> None:
    """Waits until no job is open."""
    while True:
        body = (await client.get("/readyz")).json()
        if not body["queued"] and not body["running"]:
            return
        await asyncio.sleep(0.1)


async def paced(server: Server, per_s: float, seconds: float) -> list[float]:
    """Hands answers in at a pace, whatever the replies take; returns what each took."""
    tasks, idle = [], []
    began = time.perf_counter()

    async def one(number: int) -> float:
        line = idle.pop() if idle else Line(server)
        took = await line.post(number)
        idle.append(line)
        return took

    for n in range(int(per_s * seconds)):
        await asyncio.sleep(max(0.0, began + n / per_s - time.perf_counter()))
        tasks.append(asyncio.create_task(one(n)))
    return list(await asyncio.gather(*tasks))


async def measure(server: Server, options: argparse.Namespace) -> dict[str, float]:
    """All figures of one server."""
    found: dict[str, float] = {"start_to_ready_s": server.start_s}
    await asyncio.sleep(2)
    found["memory_at_rest_mib"] = server.resident_mib
    async with server.client() as client:
        await Line(server).post(-1)
        await drained(client)
        cpu, began = server.cpu_s, time.perf_counter()
        accepted = await flood(server, options.submissions, options.connections)
        found["accepted_per_s"] = options.submissions / accepted
        await drained(client)
        found["graded_per_s"] = options.submissions / (time.perf_counter() - began)
        found["server_cpu_ms_per_grade"] = 1000 * (server.cpu_s - cpu) / options.submissions
        whole = await batches(client, options.submissions)
        found["accepted_per_s_by_batch"] = options.submissions / whole
        times = sorted(await paced(server, options.pace, options.seconds))
        found["post_p50_ms"] = 1000 * statistics.median(times)
        found["post_p99_ms"] = 1000 * times[int(len(times) * 0.99)]
        await drained(client)
        found["memory_after_mib"] = server.resident_mib
    return found


def main() -> int:
    """Prints the figures, and as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--submissions", type=int, default=600)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--pace", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "data")
        try:
            found = asyncio.run(measure(server, options))
        finally:
            server.end()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, value in found.items():
        print(f"{name:<26} {value:10.2f}")
    print(json.dumps({name: round(value, 3) for name, value in found.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
