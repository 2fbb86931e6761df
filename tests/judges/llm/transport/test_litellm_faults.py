"""How errors are told apart."""

from datetime import UTC, datetime

import pytest

from grader.judges.llm.transport import (
    BadRequestFault,
    ConfigFault,
    ConnectionFault,
    LlmFault,
    RateLimitedFault,
    ServerErrorFault,
    TimeoutFault,
)
from grader.judges.llm.transport.faults import ModeRefusedFault
from grader.judges.llm.transport.litellm_faults import fault_of, retry_after

NOW = datetime(2030, 1, 1, tzinfo=UTC)


class ProviderError(Exception):
    def __init__(self, status: int | str, text: str, cause: Exception | None = None) -> None:
        super().__init__(text)
        self.status_code = status
        self.__cause__ = cause


class ConnectError(Exception):
    """Named as the one of the HTTP client."""


@pytest.mark.parametrize(
    ("status", "text", "fault"),
    [
        (408, "too slow", TimeoutFault),
        (429, "slow down", RateLimitedFault),
        (429, "insufficient_quota: you exceeded your current quota", ConfigFault),
        (401, "no tools for you", ConfigFault),
        (403, "forbidden", ConfigFault),
        (404, "no such model", ConfigFault),
        (404, "No endpoints found that support tool_choice", ModeRefusedFault),
        (400, "Unknown parameter: response_format", ModeRefusedFault),
        (500, "json_schema grammar could not be built", ModeRefusedFault),
        (400, "maximum context length exceeded", BadRequestFault),
        (422, "unprocessable", BadRequestFault),
        (500, "Missing credentials. Please pass an api_key", ConfigFault),
        (500, "Connection error.", ConnectionFault),
        (500, "boom", ServerErrorFault),
        (503, "overloaded", ServerErrorFault),
        ("server_error", "overloaded", ServerErrorFault),
    ],
)
def test_status_and_words_decide(status: int | str, text: str, fault: type[LlmFault]) -> None:
    assert type(fault_of(ProviderError(status, text))) is fault


def test_a_request_that_never_left_is_not_billed() -> None:
    for status, text in ((500, "Connection error."), (408, "timed out")):
        fault = fault_of(ProviderError(status, text, ConnectError()))
        assert isinstance(fault, ConnectionFault)
        assert not fault.maybe_billed
    assert fault_of(ProviderError(500, "Connection error.")).maybe_billed


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Tue, 01 Jan 2030 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 31 Dec 2029 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_the_message_is_one_short_line() -> None:
    message = str(fault_of(ProviderError(500, "a\n" * 5000)))
    assert "\n" not in message
    assert len(message) <= 300
