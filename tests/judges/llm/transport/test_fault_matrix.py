"""Each fault of a provider, over the network and through litellm: the outcome, the number of
requests, and what the ledger says."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest
from pydantic import BaseModel

from bench.mock_llm import Fault, MockServer, Rule, Script
from grader.judges.ledger import CallState
from grader.judges.llm.transport import (
    CompletionRequest,
    ConnectionFault,
    Endpoint,
    LlmFault,
    MalformedFault,
    Message,
    Price,
    RetryPolicy,
    Transport,
    TransportSettings,
)
from grader.judges.llm.transport.litellm_wire import LitellmWire


class Reply(BaseModel):
    q: str


REQUEST = CompletionRequest((Message("user", "hello"),), schema=Reply, deadline_s=20)
RETRY = RetryPolicy(faults=2, timeouts=1, rate_limits=3, base_s=0.01)


def over(server: MockServer, *models: str) -> Transport:
    price = Price(prompt=1, output=2)
    endpoints = tuple(
        Endpoint(model=model, api_base=server.base_url, price=price)
        for model in models or ("openai/m",)
    )
    return Transport(TransportSettings(endpoints=endpoints, retry=RETRY, attempt_timeout_s=0.25))


# fault, outcome, requests, state of the row, whether the budget is charged
LASTING = [
    (Fault.OK, "ok", 1, CallState.DONE, True),
    (Fault.RATE_LIMITED, "rate_limited", 4, CallState.FAILED, False),
    (Fault.SERVER_ERROR, "server_error", 3, CallState.FAILED, False),
    (Fault.HANG, "timeout", 2, CallState.FAILED, True),
    (Fault.DRIP, "timeout", 2, CallState.FAILED, True),
    (Fault.RESET, "connection", 3, CallState.FAILED, True),
    (Fault.RESET_MIDWAY, "connection", 3, CallState.FAILED, True),
    (Fault.TRUNCATED, "truncated", 1, CallState.DONE, True),
    (Fault.FENCED, "ok", 1, CallState.DONE, True),
    (Fault.PROSE, "ok", 1, CallState.DONE, True),
    (Fault.EMPTY, "malformed", 1, CallState.DONE, True),
    (Fault.REFUSAL, "refused", 1, CallState.DONE, True),
    (Fault.WRONG_MODEL, "config", 1, CallState.FAILED, False),
    (Fault.UNAUTHORISED, "config", 1, CallState.FAILED, False),
    (Fault.ERROR_200, "server_error", 3, CallState.FAILED, False),
    (Fault.NOT_JSON, "server_error", 3, CallState.FAILED, False),
    (Fault.MODE_REFUSED, "bad_request", 4, CallState.FAILED, False),
]


@pytest.mark.parametrize(("fault", "outcome", "requests", "state", "charged"), LASTING)
async def test_a_lasting_fault_ends_in_its_cause_after_the_stated_requests(
    fault: Fault,
    outcome: str,
    requests: int,
    state: CallState,
    charged: bool,
    capfd: pytest.CaptureFixture[str],
) -> None:
    async with MockServer(Script(rules=(Rule(fault, retry_after=0.02),))) as server:
        transport = over(server)
        try:
            reply = await transport.complete(REQUEST)
            seen = "ok" if reply.data == {"q": "x"} else "wrong data"
            attempts = reply.attempts
        except LlmFault as error:
            seen, attempts = error.cause.value, error.attempts
        (row,) = await transport.ledger.rows()
        spend = await transport.ledger.spend("tenant:local")
    assert seen == outcome
    assert attempts == len(server.log) == row.attempts == requests
    assert requests <= transport.settings.most_requests
    assert (row.state, row.outcome) == (state, outcome)
    assert (spend.spent.nano_usd > 0) is charged
    assert spend.spent == row.charged
    assert spend.held.nano_usd == spend.held.tokens == 0
    # Nothing of a prompt or a reply may reach a console or a log that way.
    assert capfd.readouterr() == ("", "")


PASSING = [
    (Fault.RATE_LIMITED, 2),
    (Fault.SERVER_ERROR, 2),
    (Fault.HANG, 2),
    (Fault.RESET, 2),
    (Fault.RESET_MIDWAY, 2),
    (Fault.ERROR_200, 2),
    (Fault.NOT_JSON, 2),
    (Fault.MODE_REFUSED, 2),
]


@pytest.mark.parametrize(("fault", "requests"), PASSING)
async def test_a_passing_fault_costs_one_more_request(fault: Fault, requests: int) -> None:
    rules = (Rule(fault, numbers=(1,), retry_after=0.02),)
    async with MockServer(Script(rules=rules)) as server:
        transport = over(server)
        reply = await transport.complete(REQUEST)
        (row,) = await transport.ledger.rows()
    assert reply.data == {"q": "x"}
    assert reply.attempts == len(server.log) == row.attempts == requests
    assert (row.state, row.outcome) == (CallState.DONE, "ok")


@pytest.mark.parametrize("fault", [Fault.TRUNCATED, Fault.EMPTY, Fault.REFUSAL])
async def test_an_unusable_reply_is_paid_once_and_replayed(fault: Fault) -> None:
    async with MockServer(Script(rules=(Rule(fault),))) as server:
        transport = over(server)
        with pytest.raises(LlmFault) as first:
            await transport.complete(REQUEST)
        with pytest.raises(LlmFault) as second:
            await transport.complete(REQUEST)
    assert len(server.log) == 1
    assert first.value.cause == second.value.cause
    assert first.value.reply is not None
    assert second.value.reply is not None
    assert second.value.reply.from_ledger
    assert first.value.reply.text == second.value.reply.text


async def test_retry_after_is_honoured() -> None:
    rules = (Rule(Fault.RATE_LIMITED, numbers=(1,), retry_after=0.4),)
    async with MockServer(Script(rules=rules)) as server:
        await over(server).complete(REQUEST)
    first, second = server.log
    assert second.arrived - first.arrived >= 0.4


async def test_a_retry_after_beyond_the_deadline_is_not_waited_for() -> None:
    rules = (Rule(Fault.RATE_LIMITED, retry_after=60),)
    async with MockServer(Script(rules=rules)) as server:
        with pytest.raises(LlmFault) as error:
            await over(server).complete(REQUEST)
    assert error.value.cause == "rate_limited"
    assert len(server.log) == 1


async def test_the_next_model_takes_over_and_a_wrong_name_does_not_pass() -> None:
    rules = (Rule(Fault.SERVER_ERROR, model="m"),)
    async with MockServer(Script(rules=rules)) as server:
        transport = over(server, "openai/m", "openai/n")
        reply = await transport.complete(REQUEST)
        rows = await transport.ledger.rows()
    assert reply.model == "openai/n"
    assert reply.attempts == 4
    assert sorted((r.model, r.state.value, r.attempts) for r in rows) == [
        ("openai/m", "failed", 3),
        ("openai/n", "done", 1),
    ]
    assert [row.model for row in server.log] == ["m", "m", "m", "n"]

    async with MockServer(Script(models=("n",))) as server:
        with pytest.raises(LlmFault) as error:
            await over(server, "openai/m", "openai/n").complete(REQUEST)
    assert error.value.cause == "config"
    assert len(server.log) == 1


async def test_what_the_provider_counts_is_what_the_row_keeps() -> None:
    prefix = "rules " * 1000
    asked = [
        CompletionRequest((Message("system", prefix), Message("user", text)), schema=Reply)
        for text in ("one", "two")
    ]
    async with MockServer(Script(cost_usd=0.01)) as server:
        transport = over(server)
        replies = [await transport.complete(request) for request in asked]
        rows = await transport.ledger.rows()
    assert replies[0].usage.cached == 0
    assert replies[1].usage.cached >= 1024
    assert [row.usage.cached for row in rows] == [r.cached_tokens for r in server.log]
    assert [row.usage.prompt for row in rows] == [r.prompt_tokens for r in server.log]
    assert {(row.cost_nano_usd, row.cost_source.value) for row in rows} == {
        (10_000_000, "provider")
    }


async def test_the_body_holds_what_was_asked_for_and_nothing_of_ours() -> None:
    async with MockServer() as server:
        await over(server).complete(REQUEST)
    body = dict(server.log[0].body)
    assert body.pop("response_format")["type"] == "json_schema"
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "max_tokens": REQUEST.max_output_tokens,
    }


@contextmanager
def black_hole() -> Iterator[str]:
    """An address that takes no more connections and refuses none."""
    with ExitStack() as open_sockets:
        listener = open_sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            filler = open_sockets.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.parametrize("gone", [True, False])
async def test_nobody_there_is_found_out_soon_and_costs_nothing(gone: bool) -> None:
    with black_hole() as address:
        base = "http://127.0.0.1:1/v1" if gone else address
        endpoint = Endpoint(model="openai/m", api_base=base, price=Price(prompt=1, output=2))
        transport = Transport(
            TransportSettings(endpoints=(endpoint,), retry=RETRY), wire=LitellmWire(0.2)
        )
        with pytest.raises(ConnectionFault) as error:
            await transport.complete(REQUEST)
        spend = await transport.ledger.spend("tenant:local")
    assert error.value.attempts == 1 + RETRY.faults
    assert spend.spent.nano_usd == 0


async def test_a_sampling_parameter_that_the_model_does_not_take_is_left_out() -> None:
    async with MockServer() as server:
        request = replace(REQUEST, params={"temperature": 0, "seed": 3})
        reply = await over(server, "openai/gpt-5").complete(request)
    assert reply.attempts == len(server.log) == 1
    assert "temperature" not in server.log[0].body
    assert server.log[0].body["seed"] == 3
    assert server.log[0].mode == "json_schema"


async def test_half_a_reply_is_not_taken_for_the_whole() -> None:
    class Listed(BaseModel):
        items: list[Reply]

    broken = '{"items": [{"q": "a"}, {"q": "b"}, {"q": '
    async with MockServer(verdict=lambda seen: broken) as server:
        with pytest.raises(MalformedFault) as error:
            await over(server).complete(replace(REQUEST, schema=Listed))
    assert error.value.reply is not None
    assert error.value.reply.data is None
    assert error.value.reply.text == broken


async def test_odd_characters_reach_the_ledger_and_come_back() -> None:
    odd = "\ud83d \x00 漢"
    async with MockServer(verdict=lambda seen: {"q": odd}) as server:
        transport = over(server)
        first = await transport.complete(REQUEST)
        again = await transport.complete(REQUEST)
    assert first.data == again.data == {"q": odd}
    assert again.from_ledger
