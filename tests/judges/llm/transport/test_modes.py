"""The mode ladder: what each rung asks for, when it steps down, what is read from replies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from bench.mock_llm import Fault, MockServer, Rule, Script
from grader.judges.llm.transport import (
    BadRequestFault,
    CompletionRequest,
    Endpoint,
    MalformedFault,
    Message,
    Mode,
    Price,
    RetryPolicy,
    Transport,
    TransportSettings,
)
from grader.judges.llm.transport.modes import ModeLadder, is_strict, read_object, render
from tests.judges.llm.transport.fakes import SCHEMA, ScriptedWire, ask, transport
from tests.support.virtual_time import run_virtual


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    q: str


def over(server: MockServer, mode: Mode | None = None, faults: int = 0) -> Transport:
    endpoint = Endpoint(
        model="openai/m", api_base=server.base_url, price=Price(prompt=1, output=1), mode=mode
    )
    retry = RetryPolicy(faults=faults, base_s=0.01)
    return Transport(TransportSettings(endpoints=(endpoint,), retry=retry))


REFUSING = [
    ((), ["json_schema"]),
    (("json_schema",), ["json_schema", "tools"]),
    (("json_schema", "tools"), ["json_schema", "tools", "json_object"]),
    (("json_schema", "tools", "json_object"), ["json_schema", "tools", "json_object", "text"]),
]


@pytest.mark.parametrize("status", [400, 422, 500, 501])
@pytest.mark.parametrize(("refused", "sent"), REFUSING)
async def test_each_refused_mode_costs_one_request_once(
    refused: tuple[str, ...], sent: list[str], status: int
) -> None:
    rules = (Rule(Fault.MODE_REFUSED, modes=refused, status=status),) if refused else ()
    async with MockServer(Script(rules=rules), lambda seen: {"q": "x"}) as server:
        # No retry is allowed, so a step down that cost one would fail.
        door = over(server)
        first = await door.complete(ask("first"))
        second = await door.complete(ask("second"))
    assert [row.mode for row in server.log] == [*sent, sent[-1]]
    assert first.data is not None
    assert second.data is not None
    assert first.attempts == len(sent)
    assert second.attempts == 1


async def test_a_refused_mode_does_not_count_for_the_circuit() -> None:
    rules = (Rule(Fault.MODE_REFUSED),)
    async with MockServer(Script(rules=rules)) as server:
        door = over(server)
        for turn in range(12):
            with pytest.raises(BadRequestFault, match="not supported"):
                await door.complete(ask(f"{turn}"))
        assert not door.is_down()


async def test_an_error_that_names_no_mode_does_not_step_down() -> None:
    rules = (Rule(Fault.SERVER_ERROR, numbers=(1,)),)
    async with MockServer(Script(rules=rules)) as server:
        await over(server, faults=1).complete(ask())
    assert [row.mode for row in server.log] == ["json_schema", "json_schema"]


@pytest.mark.parametrize("mode", list(Mode))
async def test_every_mode_brings_the_object(mode: Mode) -> None:
    async with MockServer(verdict=lambda seen: {"q": "x"}) as server:
        reply = await over(server, mode).complete(ask(schema=Reply))
    assert reply.mode is mode
    assert reply.parse(Reply) == Reply(q="x")


def test_calls_refused_together_step_down_together() -> None:
    ladder = ModeLadder()
    endpoint = Endpoint(model="m")
    for _ in range(32):
        assert ladder.step_down(endpoint, Mode.JSON_SCHEMA)
    assert ladder.mode(endpoint) is Mode.TOOLS
    assert ladder.mode(Endpoint(model="other")) is Mode.JSON_SCHEMA


def test_below_the_fence_there_is_nothing() -> None:
    assert not ModeLadder().step_down(Endpoint(model="m"), Mode.FENCE)


def test_the_weak_modes_keep_the_prefix_the_same_for_every_answer() -> None:
    for mode in (Mode.JSON_OBJECT, Mode.FENCE):
        one, two = render(ask("one"), mode), render(ask("two"), mode)
        assert one["messages"][0] == two["messages"][0]
        assert json.dumps(SCHEMA, separators=(",", ":")) in one["messages"][0]["content"]
        assert one["messages"][1:] == [{"role": "user", "content": "one"}]


def test_a_prompt_without_a_system_message_gets_one_for_the_schema() -> None:
    request = CompletionRequest((Message("user", "one"),), schema=Reply)
    roles = [m["role"] for m in render(request, Mode.FENCE)["messages"]]
    assert roles == ["system", "user"]


def test_strict_is_asked_for_only_where_the_schema_allows_it() -> None:
    class Loose(BaseModel):
        q: str = ""

    assert is_strict(Reply.model_json_schema())
    assert not is_strict(Loose.model_json_schema())
    strict = render(ask(schema=Reply), Mode.JSON_SCHEMA)["response_format"]["json_schema"]
    loose = render(ask(schema=Loose), Mode.JSON_SCHEMA)["response_format"]["json_schema"]
    assert strict["strict"] is True
    assert "strict" not in loose


OBJECTS = st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=4)


@given(OBJECTS)
def test_an_object_is_read_bare_fenced_or_among_prose(value: dict[str, str]) -> None:
    text = json.dumps(value)
    assert read_object(text) == value
    assert read_object(f"```json\n{text}\n```") == value
    assert read_object(f"Here it is:\n{text}\nDone.") == value


def test_of_several_objects_the_last_counts() -> None:
    echoed = 'The answer said {"verdict": "met"}. My finding: {"verdict": "not_met"}'
    assert read_object(echoed) == {"verdict": "not_met"}


@pytest.mark.parametrize("text", ["", "no object", "[1, 2]", '"text"', '{"cut": "o', "null"])
def test_what_holds_no_object_gives_none(text: str) -> None:
    assert read_object(text) is None


def test_a_reply_that_does_not_fit_names_the_paths_and_not_the_words() -> None:
    async def main() -> None:
        reply = await transport(ScriptedWire()).complete(ask())

        class Other(BaseModel):
            q: int

        with pytest.raises(MalformedFault) as error:
            reply.parse(Other)
        assert "at q" in str(error.value)
        assert "'x'" not in str(error.value)

    run_virtual(main())
