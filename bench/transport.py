"""What the LLM transport costs: ``python -m bench.transport``.

Calls with bodies of a judge's size go to the mock server (a process of its own), once through the
raw wire and once through litellm: the first shows the transport itself, the difference is litellm.
Then the same through a server that takes 8 at once where the client may send 32. The ideal is the
sum of the modelled reply times over the width: no client can be faster.
"""

import argparse
import asyncio
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

from pydantic import BaseModel

from bench.mock_llm import MockProcess, Script, Seen
from bench.mock_llm.raw_wire import RawWire
from grader.judges.llm.transport import (
    Budget,
    Cap,
    CompletionReply,
    CompletionRequest,
    Endpoint,
    Message,
    Price,
    Transport,
    TransportSettings,
    Wire,
)

WIDTH = 32
PRICE = Price(prompt=Decimal("0.25"), output=Decimal(2))


class Finding(BaseModel):
    """One signal of a reply."""

    id: str
    quote: str
    verdict: str
    confidence: float


class Findings(BaseModel):
    """A reply."""

    verdicts: list[Finding]


@dataclass(frozen=True)
class Run:
    """One batch."""

    name: str
    answered: int
    calls: int
    wall_s: float
    ideal_s: float
    cpu_ms: float
    requests: int
    peak: int

    def line(self) -> str:
        """For the table."""
        return (
            f"{self.name:22} {self.answered:5}/{self.calls} {self.requests:9} {self.peak:5} "
            f"{self.wall_s:8.2f} {self.ideal_s:8.2f} {self.cpu_ms:13.2f}"
        )


def verdict(seen: Seen) -> dict[str, object]:
    """A reply of 100 to 250 tokens, the same for the same request."""
    quote = "x" * random.Random(seen.digest).randint(400, 1000)
    return {"verdicts": [{"id": "a", "quote": quote, "verdict": "met", "confidence": 0.5}]}


def request(number: int) -> CompletionRequest:
    """About 700 prompt tokens, two thirds of them in the prefix."""
    rules, answer = "rule " * 400, f"answer {number} " + "word " * 160
    messages = (Message("system", rules), Message("user", answer))
    return CompletionRequest(messages, schema=Findings, deadline_s=600)


@contextmanager
def transport(script: Script, wire: Wire | None) -> Iterator[tuple[MockProcess, Transport]]:
    """A server and a transport that has loaded everything."""
    with MockProcess(script, "bench.transport:verdict") as server:
        endpoint = Endpoint(model="openai/mock", api_base=server.base_url, price=PRICE)
        budget = Budget(run=Cap(usd=Decimal(100)))
        door = Transport(TransportSettings(endpoints=(endpoint,), budget=budget), wire=wire)
        door.check()
        yield server, door


async def ask(door: Transport, calls: int) -> list[object]:
    """All calls at once; the transport decides how many are in flight."""
    asked = (door.complete(request(number)) for number in range(calls))
    return await asyncio.gather(*asked, return_exceptions=True)


def run(name: str, script: Script, wire: Wire | None, calls: int, width: int) -> Run:
    """One batch, measured."""
    with transport(script, wire) as (server, door):
        wall, cpu = time.perf_counter(), time.process_time()
        outcomes = asyncio.run(ask(door, calls))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        log, stats = server.log(), server.stats()
    took = sum(row["answered"] - row["arrived"] for row in log if row["status"] == 200)
    return Run(
        name=name,
        answered=sum(isinstance(o, CompletionReply) for o in outcomes),
        calls=calls,
        wall_s=wall,
        ideal_s=took / width,
        cpu_ms=cpu / calls * 1000,
        requests=stats["requests"],
        peak=stats["peak"],
    )


def main() -> None:
    """Runs all and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.transport", description=__doc__)
    parser.add_argument("--calls", type=int, default=192)
    calls = parser.parse_args().calls
    script = Script(first_token_ms=300, token_ms=5)
    narrow = Script(first_token_ms=300, token_ms=5, concurrency=8)
    print("run                     answered  requests  peak   wall s  ideal s  CPU ms a call")
    print(run("raw wire", script, RawWire(PRICE), calls, WIDTH).line(), flush=True)
    print(run("litellm", script, None, calls, WIDTH).line(), flush=True)
    print(run("litellm, server limit 8", narrow, None, calls, 8).line(), flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")


if __name__ == "__main__":
    main()
