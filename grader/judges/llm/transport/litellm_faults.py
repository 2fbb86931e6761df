"""litellm's exceptions as our faults, told by class, status and what the error body names."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from grader.judges.llm.transport.faults import (
    BadRequestFault,
    ConfigFault,
    ConnectionFault,
    LlmFault,
    ModeRefusedFault,
    RateLimitedFault,
    RefusedFault,
    ServerErrorFault,
    TimeoutFault,
)

_MODE_WORDS = re.compile(r"response_format|json_schema|json_object|\btools?\b|tool_choice|schema")
# Of httpx and aiohttp: no byte of the request has left.
_CONNECT_ERRORS = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError"})
_LONGEST_MESSAGE = 300


def fault_of(error: Exception) -> LlmFault:
    """The fault that an exception of litellm stands for."""
    failure = _Failure(error)
    return next((build(failure) for applies, build in _RULES if applies(failure)), None) or (
        ServerErrorFault(failure.text)
    )


def names_mode(text: str) -> bool:
    """Whether an error is about structured output, so that a weaker mode may work."""
    return _MODE_WORDS.search(text) is not None


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds of a ``Retry-After`` header, a number or a date (RFC 9110, 10.2.3)."""
    milliseconds = headers.get("retry-after-ms", "")
    if milliseconds.replace(".", "", 1).isdigit():
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "").strip()
    if value.replace(".", "", 1).isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _headers(error: Exception) -> Mapping[str, str]:
    found: Any = getattr(error, "litellm_response_headers", None)
    if found is None:
        found = getattr(getattr(error, "response", None), "headers", None)
    return {str(k).lower(): str(v) for k, v in dict(found or {}).items()}


def _never_connected(error: BaseException | None) -> bool:
    while error is not None:
        if type(error).__name__ in _CONNECT_ERRORS:
            return True
        error = error.__cause__ or error.__context__
    return False


def _lacks_key(text: str) -> bool:
    return "Missing credentials" in text or "api_key client option must be set" in text


def _message(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text[:_LONGEST_MESSAGE]


class _Failure:
    """What the rules look at."""

    def __init__(self, error: Exception) -> None:
        status = getattr(error, "status_code", None)
        self.error = error
        self.kind = type(error).__name__
        # An error body under a 200 puts a word where the status belongs.
        self.status = status if isinstance(status, int) else 0
        self.text = _message(error)


# In this order: what an error says of keys and modes counts more than its status, since proxies
# and local servers wrap everything in a 500.
_RULES: tuple[tuple[Callable[[_Failure], bool], Callable[[_Failure], LlmFault]], ...] = (
    (
        lambda f: f.status in {0, 408, 500} and _never_connected(f.error),
        lambda f: ConnectionFault(f.text, connected=False),
    ),
    (
        lambda f: f.kind == "Timeout" or f.status == 408,
        lambda f: TimeoutFault(f"no reply in time: {f.text}"),
    ),
    (
        lambda f: "insufficient_quota" in f.text,
        lambda f: ConfigFault(f.text, remedy="the provider's account has no credit left"),
    ),
    (
        lambda f: f.status == 429,
        lambda f: RateLimitedFault(f.text, retry_after=retry_after(_headers(f.error))),
    ),
    (
        lambda f: f.status in {401, 403} or _lacks_key(f.text),
        lambda f: ConfigFault(f.text, remedy="check the key, and that it may use the model"),
    ),
    (lambda f: f.kind == "ContentPolicyViolationError", lambda f: RefusedFault(f.text)),
    (lambda f: names_mode(f.text), lambda f: ModeRefusedFault(f.text)),
    (
        lambda f: f.status == 404 or "LLM Provider NOT provided" in f.text,
        lambda f: ConfigFault(f.text, remedy="check the model name and the address"),
    ),
    (
        lambda f: 400 <= f.status < 500,
        lambda f: BadRequestFault(f.text, remedy="the provider rejects the request as it stands"),
    ),
    (
        lambda f: "Connection error" in f.text or f.kind == "APIConnectionError",
        lambda f: ConnectionFault(f.text),
    ),
)
