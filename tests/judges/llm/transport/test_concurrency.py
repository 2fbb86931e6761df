"""Many calls at once: slots, limits, single flight, cancellation, circuit. In virtual time."""

import asyncio

import pytest

from bench.mock_llm import Fault, MockServer, Rule, Script
from grader.judges.llm.transport import (
    CircuitOpenFault,
    CompletionReply,
    Concurrency,
    ConnectionFault,
    Endpoint,
    LlmFault,
    Price,
    RateLimitedFault,
    RetryPolicy,
    ServerErrorFault,
    TimeoutFault,
    Transport,
    TransportSettings,
)
from tests.judges.llm.transport.fakes import ENDPOINT, GOOD, ScriptedWire, ask, transport
from tests.support.virtual_time import run_virtual


async def all_of(door: Transport, count: int, **changes: object) -> list[object]:
    calls = (door.complete(ask(f"answer {i}", **changes)) for i in range(count))
    return await asyncio.gather(*calls, return_exceptions=True)


def answered(outcomes: list[object]) -> int:
    return sum(isinstance(o, CompletionReply) for o in outcomes)


def test_never_more_in_flight_than_allowed_and_the_ramp_costs_little() -> None:
    async def main() -> tuple[int, int, float]:
        wire = ScriptedWire(latency_s=1.0)
        outcomes = await all_of(transport(wire), 192, deadline_s=600.0)
        return answered(outcomes), wire.peak, asyncio.get_running_loop().time()

    done, peak, took = run_virtual(main())
    assert (done, peak) == (192, 32)
    assert took <= 6 * 1.05


def test_four_times_over_subscribed_nothing_is_lost_and_few_requests_are_wasted() -> None:
    async def main() -> tuple[int, int]:
        wire = ScriptedWire(latency_s=1.1, limit=8, retry_after=1.0)
        outcomes = await all_of(transport(wire), 192, deadline_s=600.0)
        return answered(outcomes), len(wire.requests)

    done, requests = run_virtual(main())
    assert done == 192
    assert requests - 192 <= 20


def test_a_retry_goes_before_calls_that_have_not_begun() -> None:
    async def main() -> list[str]:
        fail_first = ScriptedWire(
            lambda number, model: ServerErrorFault("down") if number == 1 else GOOD, latency_s=1.0
        )
        door = transport(fail_first, concurrency=Concurrency(start=1, most=1))
        await all_of(door, 5)
        return [body["messages"][-1]["content"] for _, body in fail_first.requests]

    order = run_virtual(main())
    assert order.index("answer 0", 1) == 2
    assert len(order) == 6


def test_requests_a_minute_are_kept() -> None:
    async def main() -> list[float]:
        wire = ScriptedWire()
        limited = ENDPOINT.model_copy(update={"rpm": 60})
        door = transport(wire, endpoints=(limited,))
        assert answered(await all_of(door, 100, deadline_s=600.0)) == 100
        return wire.times

    times = run_virtual(main())
    for start in times:
        # A burst of a sixth of a minute's worth, and the rate from there on.
        assert sum(start <= at < start + 60 for at in times) <= 60 + 10


def test_tokens_a_minute_are_corrected_by_what_was_used() -> None:
    async def main() -> float:
        limited = ENDPOINT.model_copy(update={"tpm": 900})
        door = transport(ScriptedWire(), endpoints=(limited,))
        await all_of(door, 61, deadline_s=6000.0)
        return asyncio.get_running_loop().time()

    # 61 calls of 15 tokens are 915: a minute's worth less the burst, not the guess of thousands.
    assert run_virtual(main()) <= 60


def test_equal_calls_at_the_same_time_are_one() -> None:
    async def main() -> tuple[int, int, list[object]]:
        wire = ScriptedWire(latency_s=1.0)
        door = transport(wire)
        outcomes = await asyncio.gather(*(door.complete(ask()) for _ in range(10)))
        rows = await door.ledger.rows()
        return len(wire.requests), len(rows), [o.text for o in outcomes]

    requests, rows, texts = run_virtual(main())
    assert requests == rows == 1
    assert texts == [GOOD.text] * 10


def test_the_flight_goes_on_while_anybody_waits_and_ends_with_the_last() -> None:
    async def main() -> None:
        wire = ScriptedWire(latency_s=10.0)
        door = transport(wire)
        waiters = [asyncio.create_task(door.complete(ask())) for _ in range(2)]
        await asyncio.sleep(1)
        waiters[0].cancel()
        await asyncio.sleep(1)
        assert wire.in_flight == 1
        waiters[1].cancel()
        await asyncio.wait(waiters)
        assert wire.in_flight == 0
        (row,) = await door.ledger.rows()
        assert (row.state, row.outcome) == ("failed", "cancelled")
        spend = await door.ledger.spend("tenant:local")
        assert spend.spent == row.charged
        assert spend.spent.nano_usd > 0
        assert spend.held.nano_usd == 0

    run_virtual(main())


def test_cancellation_frees_the_slot_at_once() -> None:
    async def main() -> float:
        wire = ScriptedWire(latency_s=50.0)
        door = transport(wire, concurrency=Concurrency(start=1, most=1))
        first = asyncio.create_task(door.complete(ask("first", deadline_s=1000.0)))
        await asyncio.sleep(1)
        second = asyncio.create_task(door.complete(ask("second", deadline_s=1000.0)))
        await asyncio.sleep(1)
        assert len(wire.requests) == 1
        first.cancel()
        await asyncio.wait([first])
        await asyncio.sleep(0)
        assert len(wire.requests) == 2
        await second
        return wire.times[1]

    assert run_virtual(main()) == 2.0


async def test_cancellation_closes_the_connection() -> None:
    async with MockServer(Script(rules=(Rule(Fault.HANG),))) as server:
        endpoint = Endpoint(
            model="openai/m", api_base=server.base_url, price=Price(prompt=1, output=1)
        )
        door = Transport(TransportSettings(endpoints=(endpoint,)))
        call = asyncio.create_task(door.complete(ask()))
        while not server.log:
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        while server.in_flight:
            await asyncio.sleep(0)
    assert server.log[0].left_early


def test_the_deadline_holds_whatever_the_call_waits_for() -> None:
    async def main() -> float:
        wire = ScriptedWire(latency_s=50.0)
        door = transport(wire, concurrency=Concurrency(start=1, most=1))
        outcomes = await all_of(door, 3, deadline_s=7.0)
        assert [o.attempts for o in outcomes if isinstance(o, TimeoutFault)] == [1, 0, 0]
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 7.0


def test_the_circuit_opens_within_three_seconds_and_spares_the_endpoint() -> None:
    async def main(count: int) -> tuple[float, list[object], int, Transport]:
        wire = ScriptedWire(lambda number, model: ConnectionFault("refused", connected=False))
        door = transport(wire)
        outcomes = await all_of(door, count)
        return asyncio.get_running_loop().time(), outcomes, len(wire.requests), door

    for count in (1, 192):
        took, outcomes, requests, door = run_virtual(main(count))
        assert door.is_down()
        assert took <= 3.0
        assert all(isinstance(o, LlmFault) for o in outcomes)
        assert requests <= 64


def test_an_open_circuit_answers_at_once_and_a_probe_brings_the_endpoint_back() -> None:
    async def main() -> None:
        wire = ScriptedWire(
            lambda number, model: ServerErrorFault("down") if number <= 10 else GOOD
        )
        door = transport(wire, retry=RetryPolicy(faults=0))
        await all_of(door, 10)
        with pytest.raises(CircuitOpenFault):
            await door.complete(ask("now"))
        assert len(wire.requests) == 10
        await asyncio.sleep(6)
        assert (await door.complete(ask("later"))).data == {"q": "x"}
        assert not door.is_down()

    run_virtual(main())


def test_an_open_circuit_hands_over_to_the_next_model() -> None:
    async def main() -> list[str]:
        second = ENDPOINT.model_copy(update={"model": "openai/second"})
        wire = ScriptedWire(
            lambda number, model: GOOD if model == second.model else ServerErrorFault("down")
        )
        door = transport(wire, endpoints=(ENDPOINT, second), retry=RetryPolicy(faults=0))
        await all_of(door, 10)
        before = len(wire.requests)
        assert (await door.complete(ask("now"))).model == second.model
        return [model for model, _ in wire.requests[before:]]

    assert run_virtual(main()) == ["openai/second"]


def test_a_pause_beyond_the_deadline_hands_over_to_the_next_model_at_once() -> None:
    async def main() -> tuple[list[str], float]:
        second = ENDPOINT.model_copy(update={"model": "openai/second"})
        busy = RateLimitedFault("busy", retry_after=600.0)
        wire = ScriptedWire(lambda number, model: GOOD if model == second.model else busy)
        door = transport(wire, endpoints=(ENDPOINT, second))
        for number in range(3):
            await door.complete(ask(f"{number}"))
        return [model for model, _ in wire.requests], asyncio.get_running_loop().time()

    models, took = run_virtual(main())
    assert models == ["openai/test"] + ["openai/second"] * 3
    assert took == 0.0


def test_one_transport_serves_several_event_loops() -> None:
    wire = ScriptedWire(latency_s=0.5)
    door = transport(wire)
    for turn in range(3):
        assert answered(run_virtual(all_of(door, 40, sample=turn))) == 40
    assert len(wire.requests) == 120
    assert answered(run_virtual(all_of(door, 40, sample=1))) == 40
    assert len(wire.requests) == 120


def test_one_transport_serves_several_event_loops_through_litellm() -> None:
    door: list[Transport] = []

    async def turn(number: int) -> None:
        async with MockServer() as server:
            endpoint = Endpoint(
                model="openai/m", api_base=server.base_url, price=Price(prompt=1, output=1)
            )
            # The address changes with each server; the clients that litellm keeps do not know.
            door.append(Transport(TransportSettings(endpoints=(endpoint,))))
            assert answered(await all_of(door[-1], 20, sample=number)) == 20

    for number in range(3):
        asyncio.run(turn(number))
