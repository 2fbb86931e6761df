"""The least client there can be, behind the transport's port: what is left is the transport.

Swapped in for litellm it shows what the transport itself costs, and how near a run is to the
floor. It speaks to ``bench.mock_llm`` only: plain HTTP on loopback, Content-Length, no faults.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from grader.judges.ledger import Usage
from grader.judges.llm.transport import (
    Endpoint,
    Price,
    RateLimitedFault,
    ServerErrorFault,
    WireReply,
)

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class RawWire:
    """A ``Wire`` on asyncio streams with kept connections.

    Args:
        price: Price of every model.
    """

    def __init__(self, price: Price | None = None) -> None:
        self._price = price
        self._idle: WeakKeyDictionary[asyncio.AbstractEventLoop, list[Streams]] = (
            WeakKeyDictionary()
        )

    def prepare(self) -> None:
        """There is nothing to load."""

    def price(self, model: str) -> Price | None:  # noqa: ARG002 - the port has it
        """The one price."""
        return self._price

    async def send(
        self,
        endpoint: Endpoint,
        body: Mapping[str, Any],
        max_output_tokens: int,
        timeout_s: float,  # noqa: ARG002 - the transport holds the clock
    ) -> WireReply:
        """Sends one request once."""
        idle = self._idle.setdefault(asyncio.get_running_loop(), [])
        address = urlsplit(endpoint.api_base)
        streams = idle.pop() if idle else await asyncio.open_connection(*_host(address.netloc))
        model = endpoint.model.removeprefix("openai/")
        payload = {"model": model, "max_tokens": max_output_tokens, **body}
        try:
            status, headers, reply = await _exchange(streams, address.path, payload)
        except BaseException:
            streams[1].close()
            raise
        idle.append(streams)
        if status == 429:
            raise RateLimitedFault("429", retry_after=float(headers.get("retry-after", "1")))
        if status != 200:
            raise ServerErrorFault(f"status {status}")
        return _reply(reply)


def _host(netloc: str) -> tuple[str, int]:
    host, _, port = netloc.partition(":")
    return host, int(port)


async def _exchange(
    streams: Streams, path: str, payload: Mapping[str, Any]
) -> tuple[int, dict[str, str], Any]:
    reader, writer = streams
    body = json.dumps(payload).encode()
    head = (
        f"POST {path}/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    reply = json.loads(await reader.readexactly(int(headers["content-length"])))
    return int(first.split(" ")[1]), headers, reply


def _reply(reply: Any) -> WireReply:
    choice, usage = reply["choices"][0], reply["usage"]
    message = choice["message"]
    calls = message.get("tool_calls")
    return WireReply(
        text=calls[0]["function"]["arguments"] if calls else message["content"] or "",
        finish=choice["finish_reason"],
        refusal=message.get("refusal") or "",
        usage=Usage(
            prompt=usage["prompt_tokens"],
            cached=usage["prompt_tokens_details"]["cached_tokens"],
            output=usage["completion_tokens"],
        ),
        cost_usd=usage.get("cost"),
    )
