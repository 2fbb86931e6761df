"""A call and its reply, and the content key under which the ledger keeps both."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from grader.judges.ledger import NANO_USD, CostSource, Usage
from grader.judges.llm.transport.faults import MalformedFault
from grader.judges.llm.transport.settings import Endpoint, Mode

Schema = type[BaseModel] | Mapping[str, Any]
ModelT = TypeVar("ModelT", bound=BaseModel)

_CHARACTERS_PER_TOKEN = 4
# Chat templates wrap each message in a handful of special tokens.
_OVERHEAD_TOKENS = 32


@dataclass(frozen=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str

    def wire(self) -> dict[str, str]:
        """As the provider wants it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True)
class CompletionRequest:
    """One call.

    Attributes:
        messages: The prompt; put what stays the same first, provider caches work on prefixes.
        schema: A pydantic model or a JSON schema: a JSON object is asked for. None: plain text.
        params: Sampling parameters by their OpenAI names (temperature, seed, reasoning_effort).
        max_output_tokens: The provider stops there; also the worst case of the budget.
        sample: Distinguishes repeated draws of the same prompt.
        tenant: Whose budget and ledger rows.
        run: Batch or attempt, for the run's budget.
        deadline_s: Seconds from the call of ``complete`` to its end, waits and retries included.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    max_output_tokens: int = 1024
    sample: int = 0
    tenant: str = "local"
    run: str = ""
    deadline_s: float = 120.0

    @cached_property
    def schema_text(self) -> str:
        """The JSON schema, compact; empty without one."""
        return schema_text(self.schema) if self.schema is not None else ""

    @cached_property
    def content(self) -> str:
        """Canonical JSON of everything that decides the reply, but for the endpoint."""
        return json.dumps(
            {
                "tenant": self.tenant,
                "params": dict(self.params),
                "messages": [m.wire() for m in self.messages],
                "schema": self.schema_text,
                "max_output_tokens": self.max_output_tokens,
                "sample": self.sample,
            },
            sort_keys=True,
            separators=(",", ":"),
        )

    def key(self, endpoint: Endpoint) -> str:
        """SHA-256 of content and endpoint: equal keys, equal calls."""
        text = f"{endpoint.identity}\n{self.content}"
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def likely_prompt_tokens(self) -> int:
        """A fair guess of the prompt: four characters a token."""
        characters = sum(len(m.content) for m in self.messages) + len(self.schema_text)
        return math.ceil(characters / _CHARACTERS_PER_TOKEN)

    @property
    def likely_tokens(self) -> int:
        """A fair guess of all tokens, for the limit of tokens a minute."""
        return self.likely_prompt_tokens + self.max_output_tokens // 4

    @cached_property
    def worst_prompt_tokens(self) -> int:
        """More prompt tokens than any byte-level tokeniser makes: one a byte, and the template."""
        texts = [m.content for m in self.messages]
        # Twice: the weaker modes put the schema into the prompt beside their own sentence.
        texts += [self.schema_text] * 2
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        return size + _OVERHEAD_TOKENS * (len(self.messages) + 4)


@dataclass(frozen=True)
class CompletionReply:
    """What came back.

    Attributes:
        text: The message, or the arguments of the forced tool.
        data: The JSON object in it; None where none was asked for.
        cost_usd: None when unknown, never a made-up 0. What the call cost when it was made.
        attempts: Requests that this call sent; 0 from the ledger.
        from_ledger: Answered without a request, at no cost.
    """

    text: str
    data: dict[str, Any] | None
    model: str
    usage: Usage
    cost_usd: Decimal | None
    cost_source: CostSource
    mode: Mode | None
    attempts: int
    from_ledger: bool = False

    def parse(self, model: type[ModelT]) -> ModelT:
        """The object as a pydantic model.

        Raises:
            MalformedFault: It does not fit; the message holds the paths, not the model's words.
        """
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            paths = sorted({".".join(map(str, e["loc"])) or "(root)" for e in error.errors()})
            message = f"reply of {self.model} does not fit {model.__name__} at {', '.join(paths)}"
            raise MalformedFault(message, reply=self) from None


def cost_usd(nano_usd: int | None) -> Decimal | None:
    """Whole nano-dollars as dollars; unknown stays unknown."""
    return None if nano_usd is None else Decimal(nano_usd) / NANO_USD


def schema_object(schema: Schema) -> dict[str, Any]:
    """The JSON schema of a request as an object."""
    if isinstance(schema, type):
        return _model_schema(schema)
    return dict(schema)


def schema_text(schema: Schema) -> str:
    """The JSON schema of a request as compact text."""
    return json.dumps(schema_object(schema), separators=(",", ":"), ensure_ascii=False)


@lru_cache(maxsize=256)
def _model_schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()
