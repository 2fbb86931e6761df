"""The port between the transport and whatever puts one request on the network."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from grader.judges.ledger import Usage
from grader.judges.llm.transport.settings import Endpoint, Price


@dataclass(frozen=True)
class WireReply:
    """One reply as it came.

    Attributes:
        text: The message, or the arguments of the first tool call.
        finish: ``stop``, ``length``, ``tool_calls``, ``content_filter``.
        refusal: The model's words of refusal.
        cost_usd: What the provider says the call cost; None where it says nothing.
    """

    text: str
    finish: str
    usage: Usage
    refusal: str = ""
    cost_usd: float | None = None


class Wire(Protocol):
    """Sends one request once: no retry, no fallback, no cache."""

    def prepare(self) -> None:
        """Loads what takes long, so that no request's time is spent on it."""
        ...

    async def send(
        self, endpoint: Endpoint, body: Mapping[str, Any], max_output_tokens: int, timeout_s: float
    ) -> WireReply:
        """Sends a request and waits for the whole reply.

        Args:
            endpoint: Where to.
            body: Messages, structured-output and sampling parameters by their OpenAI names.
            max_output_tokens: The provider stops there.
            timeout_s: Longest wait.

        Raises:
            LlmFault: Any failure, by its class.
        """
        ...

    def price(self, model: str) -> Price | None:
        """Price of a model by the local price map; None where unknown."""
        ...
