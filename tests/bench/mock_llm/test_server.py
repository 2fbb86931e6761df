"""The scripted server does what its script says, seen by a plain HTTP client."""

import asyncio
import http.client
import json
from typing import Any

import pytest

from bench.mock_llm import Fault, MockProcess, MockServer, Rule, Script, Seen

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
ITEMS = {
    "items": [{"id": "a", "quote": "hel", "verdict": "met"}, {"id": "b", "verdict": "not_met"}]
}


def post(port: int, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body))
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), json.loads(response.read())
    finally:
        connection.close()


async def answer(server: MockServer, **changes: Any) -> tuple[int, dict[str, str], Any]:
    port = int(server.base_url.split(":")[2].split("/")[0])
    return await asyncio.to_thread(post, port, {**BODY, **changes})


def said(reply: Any) -> Any:
    return json.loads(reply["choices"][0]["message"]["content"].strip("`").removeprefix("json"))


async def spoiled(fault: Fault) -> Any:
    script = Script(rules=(Rule(fault),))
    async with MockServer(script, lambda seen: ITEMS) as server:
        _, _, reply = await answer(server, response_format={"type": "json_object"})
    return reply


async def test_an_honest_reply_holds_the_verdicts_and_counts_tokens() -> None:
    async with MockServer(verdict=lambda seen: ITEMS) as server:
        status, _, reply = await answer(server)
    assert status == 200
    assert said(reply) == ITEMS
    assert reply["usage"]["prompt_tokens"] == 2
    assert reply["usage"]["completion_tokens"] == server.log[0].output_tokens > 0


async def test_replies_are_spoiled_one_way_each() -> None:
    first, second = ITEMS["items"]
    assert said(await spoiled(Fault.WRONG_ENUM))["items"] == [{**first, "verdict": "maybe"}, second]
    assert said(await spoiled(Fault.MISSING_ITEM))["items"] == [second]
    extra = said(await spoiled(Fault.EXTRA_ITEM))["items"]
    assert extra[:2] == [first, second]
    assert len(extra) == 3
    assert "verdict" not in said(await spoiled(Fault.MISSING_FIELD))["items"][0]
    assert said(await spoiled(Fault.BAD_QUOTE))["items"][0]["quote"] not in BODY["messages"][0]
    cut = await spoiled(Fault.TRUNCATED)
    assert cut["choices"][0]["finish_reason"] == "length"
    assert json.dumps(ITEMS).startswith(cut["choices"][0]["message"]["content"])
    assert (await spoiled(Fault.EMPTY))["choices"][0]["message"]["content"] == ""
    assert (await spoiled(Fault.REFUSAL))["choices"][0]["message"]["refusal"]


async def test_errors_have_their_status_and_header() -> None:
    rules = (
        Rule(Fault.RATE_LIMITED, numbers=(1,), retry_after=2.5),
        Rule(Fault.SERVER_ERROR, numbers=(2,), status=503),
        Rule(Fault.UNAUTHORISED, numbers=(3,)),
        Rule(Fault.ERROR_200, numbers=(4,)),
    )
    async with MockServer(Script(rules=rules, models=("m",))) as server:
        answers = [await answer(server) for _ in range(4)]
        wrong, _, _ = await answer(server, model="n")
    assert [status for status, _, _ in answers] == [429, 503, 401, 200]
    assert answers[0][1]["Retry-After"] == "2.5"
    assert "choices" not in answers[3][2]
    assert wrong == 404


async def test_the_limit_of_requests_at_once_answers_429() -> None:
    async with MockServer(Script(first_token_ms=200, concurrency=2)) as server:
        found = await asyncio.gather(*(answer(server) for _ in range(5)))
    assert sorted(status for status, _, _ in found) == [200, 200, 429, 429, 429]


async def test_the_cache_knows_a_prefix_after_its_first_token_only() -> None:
    prefix = {"role": "system", "content": "rule " * 1000}
    async with MockServer(Script(first_token_ms=100)) as server:
        messages = [prefix, BODY["messages"][0]]
        await asyncio.gather(*(answer(server, messages=messages) for _ in range(2)))
        await answer(server, messages=[prefix, {"role": "user", "content": "other"}])
        await answer(server)
    assert [row.cached_tokens for row in server.log] == [0, 0, 1152, 0]
    assert all(row.cached_tokens <= row.prompt_tokens for row in server.log)


def seen(number: int, attempt: int = 1) -> Seen:
    return Seen(number, attempt, "text", "m", {}, None, digest=f"body {number}")


@pytest.mark.parametrize("sticky", [True, False])
def test_a_probability_strikes_its_share_in_any_order(sticky: bool) -> None:
    rule = Rule(Fault.SERVER_ERROR, probability=0.1, sticky=sticky)
    struck = {n for n in range(5000) if rule.strikes(seen(n), 1)}
    assert 400 < len(struck) < 600
    assert struck == {n for n in reversed(range(5000)) if rule.strikes(seen(n), 1)}
    again = {n for n in struck if rule.strikes(seen(n, attempt=2), 1)}
    assert (again == struck) is sticky
    assert struck != {n for n in range(5000) if rule.strikes(seen(n), 2)}


def test_a_script_goes_to_json_and_back() -> None:
    script = Script(rules=(Rule(Fault.DRIP, numbers=(1, 2)),), models=("m",), cost_usd=0.01)
    assert Script.from_json(script.to_json()) == script
    with pytest.raises(ValueError, match="predicate"):
        Script(rules=(Rule(Fault.OK, predicate=lambda seen: True),)).to_json()


def test_the_server_runs_as_a_process_of_its_own() -> None:
    with MockProcess(Script(models=("m",)), verdict="bench.mock_llm.reply:from_schema") as server:
        assert post(server.port, BODY)[0] == 200
        assert post(server.port, {**BODY, "model": "n"})[0] == 404
        assert [row["model"] for row in server.log()] == ["m", "n"]
        assert server.stats()["requests"] == 2
        server.load(Script())
        assert server.stats()["requests"] == 0
        assert post(server.port, {**BODY, "model": "n"})[0] == 200
