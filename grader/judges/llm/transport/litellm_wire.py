"""The one module that knows litellm: sends a request, names its faults, looks prices up.

litellm is imported at the first use, with every network access of its import, its retries and its
own logging of prompts off.
"""

import gc
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache
from types import ModuleType
from typing import Any

from grader.errors import ExtraMissingError
from grader.judges.ledger import Usage
from grader.judges.llm.transport import litellm_faults
from grader.judges.llm.transport.settings import Endpoint, Price
from grader.judges.llm.transport.wire import WireReply

_MILLION = 1_000_000
# Servers of one's own want some key but check none.
_NO_KEY = "none"
_OPENAI_LIKE = frozenset({"openai", "custom_openai"})


class LitellmWire:
    """A ``Wire`` over ``litellm.acompletion``.

    Args:
        connect_timeout_s: A reply may take a minute; a connection that takes longer than this
            means that nobody is there.
    """

    def __init__(self, connect_timeout_s: float = 2.5) -> None:
        self._connect_timeout_s = connect_timeout_s
        self._dropping: set[str] = set()

    def prepare(self) -> None:
        """Imports litellm, about three seconds of CPU, and walks its call path once."""
        _warm()

    async def send(
        self, endpoint: Endpoint, body: Mapping[str, Any], max_output_tokens: int, timeout_s: float
    ) -> WireReply:
        """Sends one request once."""
        litellm = load()
        arguments = self._arguments(endpoint, body, max_output_tokens, timeout_s)
        try:
            reply = await litellm.acompletion(**arguments)
        except litellm.exceptions.UnsupportedParamsError as error:
            if litellm_faults.names_mode(str(error)) or endpoint.identity in self._dropping:
                raise litellm_faults.fault_of(error) from error
        except Exception as error:
            raise litellm_faults.fault_of(error) from error
        else:
            return _reply(reply)
        # Found out before anything was sent: the model takes no such sampling parameter.
        self._dropping.add(endpoint.identity)
        return await self.send(endpoint, body, max_output_tokens, timeout_s)

    def price(self, model: str) -> Price | None:
        """Price by litellm's bundled map; an entry of 0 is a gap in the map, not a gift."""
        return _price(model)

    def _arguments(
        self, endpoint: Endpoint, body: Mapping[str, Any], max_output_tokens: int, timeout_s: float
    ) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            **body,
            "model": endpoint.model,
            "max_tokens": max_output_tokens,
            "timeout": self._timeout(timeout_s),
            "num_retries": 0,
            "max_retries": 0,
            "no-log": True,
        }
        if endpoint.identity in self._dropping:
            arguments["drop_params"] = True
        if endpoint.api_base:
            arguments["api_base"] = endpoint.api_base
        if endpoint.api_key is not None:
            arguments["api_key"] = endpoint.api_key.get_secret_value()
        elif _is_own_server(endpoint) and not os.environ.get("OPENAI_API_KEY"):
            arguments["api_key"] = _NO_KEY
        return arguments

    def _timeout(self, seconds: float) -> Any:
        import httpx

        return httpx.Timeout(seconds, connect=min(seconds, self._connect_timeout_s))


@lru_cache(maxsize=1)
def load() -> ModuleType:
    """Imports litellm, offline and quiet.

    Raises:
        ExtraMissingError: It is not installed.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_OFFLINE_MODE"] = "true"
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    with _kept_from_collection():
        try:
            import litellm
        except ImportError as error:
            raise ExtraMissingError(
                "the LLM judge needs litellm, which is not installed",
                remedy='pip install "interview-grader[llm]"',
            ) from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.num_retries = 0
    for name in ("LiteLLM", "instructor"):
        # Both put model texts, and so answers, into their error logs.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    module: ModuleType = litellm
    return module


@contextmanager
def _kept_from_collection() -> Iterator[None]:
    """Imports without the cycle collector, and takes what they made out of its sight.

    litellm makes some 400,000 objects that live as long as the process. Every full collection
    would walk them all: a quarter of a second in which no event loop runs, every 400 calls.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if enabled:
            gc.enable()


@lru_cache(maxsize=1)
def _warm() -> None:
    # The first call of a process loads and compiles for half a second, on the event loop: long
    # enough for a whole window of requests to pile up behind it. A canned reply sends nothing.
    load().completion(
        model="openai/warm-up",
        messages=[{"role": "user", "content": ""}],
        api_key=_NO_KEY,
        mock_response="",
        **{"no-log": True},
    )


@lru_cache(maxsize=64)
def _price(model: str) -> Price | None:
    try:
        info = load().get_model_info(model)
    except Exception:
        # Any failure to find the model means one thing: no price.
        return None
    prompt, output = info.get("input_cost_per_token"), info.get("output_cost_per_token")
    if not prompt and not output:
        return None
    cached = info.get("cache_read_input_token_cost")
    return Price(
        prompt=_per_million(prompt or 0),
        output=_per_million(output or 0),
        cached=None if cached is None else _per_million(cached),
    )


def _is_own_server(endpoint: Endpoint) -> bool:
    provider, slash, _ = endpoint.model.partition("/")
    return bool(endpoint.api_base) and (not slash or provider in _OPENAI_LIKE)


def _per_million(per_token: float) -> Decimal:
    return Decimal(str(per_token)) * _MILLION


def _reply(reply: Any) -> WireReply:
    choice = reply.choices[0]
    message = choice.message
    calls = getattr(message, "tool_calls", None) or ()
    text = calls[0].function.arguments if calls else message.content
    usage = getattr(reply, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    stated = getattr(usage, "cost", None)
    return WireReply(
        text=text or "",
        finish=choice.finish_reason or "",
        refusal=getattr(message, "refusal", None) or "",
        usage=Usage(
            prompt=getattr(usage, "prompt_tokens", 0) or 0,
            cached=getattr(details, "cached_tokens", 0) or 0,
            output=getattr(usage, "completion_tokens", 0) or 0,
        ),
        cost_usd=float(stated) if stated is not None else None,
    )
