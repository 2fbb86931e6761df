"""The budget is hard: held before a request leaves, settled after, whatever is in flight."""

import asyncio
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judges.ledger import NANO_USD, Usage
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm.transport import (
    Budget,
    BudgetFault,
    Cap,
    CompletionReply,
    Concurrency,
    ConfigFault,
    ConnectionFault,
    Endpoint,
    LlmFault,
    Price,
    WireReply,
)
from tests.judges.llm.transport.fakes import GOOD, ScriptedWire, ask, transport
from tests.support.virtual_time import run_virtual

WIDE = Concurrency(start=64, most=64)
CENT = WireReply(GOOD.text, "stop", Usage(prompt=10, output=5), cost_usd=0.01)
# The worst case of ``ask()`` under this price is about 2.3 cents.
DEAR = Endpoint(model="openai/dear", price=Price(prompt=30, output=50))

Outcomes = list[CompletionReply | BaseException]


async def many(
    wire: ScriptedWire, budget: Budget, count: int = 200, ledger: SqliteLedger | None = None
) -> tuple[Outcomes, SqliteLedger]:
    kept = ledger or SqliteLedger()
    door = transport(wire, ledger=kept, endpoints=(DEAR,), budget=budget, concurrency=WIDE)
    calls = (door.complete(ask(f"answer {i}", run="r")) for i in range(count))
    return await asyncio.gather(*calls, return_exceptions=True), kept


def test_one_dollar_at_a_cent_a_call_and_64_in_flight_is_never_overspent() -> None:
    wire = ScriptedWire(lambda number, model: CENT, latency_s=1.0)
    budget = Budget(run=Cap(usd=Decimal(1)))
    outcomes, ledger = run_virtual(many(wire, budget))
    spend = asyncio.run(ledger.spend("run:local/r"))
    answered = [o for o in outcomes if isinstance(o, CompletionReply)]
    refused = [o for o in outcomes if isinstance(o, BudgetFault)]
    assert spend.spent.usd <= 1
    assert spend.held.nano_usd == 0
    assert spend.spent.nano_usd == len(answered) * NANO_USD // 100
    assert len(answered) + len(refused) == 200
    # What is left would not have held the worst case of one more call.
    assert len(answered) >= 97
    assert len(wire.requests) == len(answered)


def test_what_was_refused_can_be_had_later_and_the_rest_is_not_paid_again() -> None:
    wire = ScriptedWire(lambda number, model: CENT, latency_s=1.0)
    outcomes, ledger = run_virtual(many(wire, Budget(run=Cap(usd=Decimal(1)))))
    first = len(wire.requests)
    outcomes, _ = run_virtual(many(wire, Budget(run=Cap(usd=Decimal(3))), ledger=ledger))
    assert all(isinstance(o, CompletionReply) for o in outcomes)
    assert len(wire.requests) == 200
    assert sum(o.from_ledger for o in outcomes if isinstance(o, CompletionReply)) == first


@given(
    costs=st.lists(
        st.one_of(st.floats(0, 0.02), st.just("lost"), st.just("fails")), min_size=1, max_size=60
    ),
    cents=st.integers(0, 40),
)
def test_spend_never_exceeds_the_budget_whatever_calls_cost(
    costs: list[float | str], cents: int
) -> None:
    def answer(number: int, _model: str) -> WireReply | LlmFault:
        cost = costs[number % len(costs)]
        if isinstance(cost, str):
            return ConnectionFault("gone", connected=cost == "lost")
        return WireReply(GOOD.text, "stop", GOOD.usage, cost_usd=cost)

    budget = Budget(run=Cap(usd=Decimal(cents) / 100))
    wire = ScriptedWire(answer, latency_s=1.0)
    _, ledger = run_virtual(many(wire, budget, count=len(costs)))
    spend = asyncio.run(ledger.spend("run:local/r"))
    assert spend.spent.nano_usd <= cents * NANO_USD // 100
    assert spend.held.nano_usd == spend.held.tokens == 0


def test_a_refused_call_sends_nothing_and_says_what_to_do() -> None:
    wire = ScriptedWire()
    budget = Budget(day=Cap(tokens=10))
    outcomes, ledger = run_virtual(many(wire, budget, count=1))
    (fault,) = outcomes
    assert isinstance(fault, BudgetFault)
    assert "day:local:2030-01-01" in str(fault)
    assert "raise the budget" in str(fault)
    assert wire.requests == []
    assert asyncio.run(ledger.rows()) == []


@pytest.mark.parametrize(
    ("scope", "other", "admitted"),
    [
        ("run", ("a", "1"), False),
        ("run", ("a", "2"), True),
        ("run", ("b", "1"), True),
        ("tenant", ("a", "2"), False),
        ("tenant", ("b", "1"), True),
        ("day", ("a", "2"), False),
        ("day", ("b", "1"), True),
    ],
)
def test_each_scope_bounds_its_own(scope: str, other: tuple[str, str], admitted: bool) -> None:
    async def main() -> bool:
        # One token less than the cost of the first call and the worst case of the second.
        room = GOOD.usage.total + ask("1").worst_prompt_tokens + 100 - 1
        door = transport(ScriptedWire(), budget=Budget(**{scope: Cap(tokens=room)}))
        await door.complete(ask("0", tenant="a", run="1"))
        try:
            await door.complete(ask("1", tenant=other[0], run=other[1]))
        except BudgetFault:
            return False
        return True

    assert run_virtual(main()) is admitted


def test_a_tenant_has_a_new_day_at_midnight() -> None:
    async def two_days() -> list[str]:
        budget = Budget(day=Cap(tokens=ask("1").worst_prompt_tokens + 100))
        door = transport(ScriptedWire(), budget=budget)
        seen = []
        for text in ("1", "2"):
            seen.append((await door.complete(ask(text))).text)
            with pytest.raises(BudgetFault):
                await door.complete(ask(text + " again"))
            await asyncio.sleep(24 * 3600)
        return seen

    assert len(run_virtual(two_days())) == 2


def test_a_model_of_unknown_price_needs_a_price_or_a_token_budget() -> None:
    async def outcome(endpoint: Endpoint, budget: Budget) -> CompletionReply:
        return await transport(ScriptedWire(), endpoints=(endpoint,), budget=budget).complete(ask())

    unknown = Endpoint(model="openai/unheard-of")
    for budget in (Budget(), Budget(run=Cap(usd=Decimal(1)))):
        with pytest.raises(ConfigFault, match="--price-in and --price-out"):
            run_virtual(outcome(unknown, budget))
    reply = run_virtual(outcome(unknown, Budget(run=Cap(tokens=10_000))))
    assert reply.cost_usd is None
    assert reply.cost_source == "unknown"
    own = Endpoint(model="openai/own", price=Price(prompt=0, output=0))
    reply = run_virtual(outcome(own, Budget()))
    assert reply.cost_usd == 0
    assert reply.cost_source == "price"


def test_a_reply_without_a_token_count_is_of_unknown_cost_and_charged_at_its_worst() -> None:
    async def main() -> tuple[CompletionReply, int, int]:
        wire = ScriptedWire(lambda number, model: WireReply(GOOD.text, "stop", Usage()))
        door = transport(wire)
        reply = await door.complete(ask())
        spend = await door.ledger.spend("tenant:local")
        return reply, spend.spent.nano_usd, spend.spent.tokens

    reply, nano_usd, tokens = run_virtual(main())
    assert reply.cost_usd is None
    assert tokens == ask().worst_prompt_tokens + 100
    assert nano_usd == ask().worst_prompt_tokens * 1000 + 100 * 2000
