"""A wire without a network, and short ways to say what a test is about."""

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any

from grader.judges.ledger import CallLedger, Usage
from grader.judges.llm.transport import (
    CompletionRequest,
    Endpoint,
    LlmFault,
    Message,
    Price,
    RateLimitedFault,
    RetryPolicy,
    Transport,
    TransportSettings,
    WireReply,
)
from tests.support.virtual_time import LoopClock

SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string"}},
    "required": ["q"],
    "additionalProperties": False,
}
ENDPOINT = Endpoint(model="openai/test", price=Price(prompt=1, output=2))
GOOD = WireReply('{"q": "x"}', "stop", Usage(prompt=10, output=5))

Answer = Callable[[int, str], WireReply | LlmFault]


class ScriptedWire:
    """Answers by a function of request number and model; counts, and models latency and a limit."""

    def __init__(
        self,
        answer: Answer | None = None,
        *,
        latency_s: float = 0.0,
        limit: int | None = None,
        retry_after: float | None = 1.0,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self._answer = answer or (lambda number, model: GOOD)
        self._latency_s = latency_s
        self._limit = limit
        self._retry_after = retry_after
        self._prices = prices or {}
        self.requests: list[tuple[str, Mapping[str, Any]]] = []
        self.times: list[float] = []
        self.in_flight = 0
        self.peak = 0

    def prepare(self) -> None:
        """There is nothing to load."""

    async def send(
        self, endpoint: Endpoint, body: Mapping[str, Any], max_output_tokens: int, timeout_s: float
    ) -> WireReply:
        self.requests.append((endpoint.model, body))
        self.times.append(asyncio.get_running_loop().time())
        number = len(self.requests)
        if self._limit is not None and self.in_flight >= self._limit:
            raise RateLimitedFault("busy", retry_after=self._retry_after)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(self._latency_s)
        finally:
            self.in_flight -= 1
        answer = self._answer(number, endpoint.model)
        if isinstance(answer, LlmFault):
            raise answer
        return answer

    def price(self, model: str) -> Price | None:
        return self._prices.get(model)


def ask(text: str = "hello", **changes: Any) -> CompletionRequest:
    values: dict[str, Any] = {"schema": SCHEMA, "max_output_tokens": 100, "deadline_s": 60.0}
    messages = (Message("system", "Judge."), Message("user", text))
    return CompletionRequest(messages, **{**values, **changes})


def transport(
    wire: ScriptedWire, *, ledger: CallLedger | None = None, **settings: Any
) -> Transport:
    values: dict[str, Any] = {"endpoints": (ENDPOINT,), "retry": RetryPolicy()}
    return Transport(
        TransportSettings(**{**values, **settings}),
        wire=wire,
        ledger=ledger,
        clock=LoopClock(),
        rng=random.Random(1),
    )
