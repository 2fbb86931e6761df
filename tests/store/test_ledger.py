"""The call ledger on the service's database keeps the contract of the port."""

import asyncio
import itertools
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.judges.ledger import (
    Amount,
    BudgetScope,
    CallRow,
    CallState,
    CostSource,
    ScopeSpend,
    Usage,
)
from grader.store.errors import StoreUnavailableError
from grader.store.ledger import SqlLedger

START = datetime(2030, 1, 1, tzinfo=UTC)
RUN = BudgetScope(name="run:a/1")
WORST = Amount(nano_usd=100, tokens=50)


def row(key="k", **changes):
    return CallRow(
        key=key,
        tenant="a",
        run="1",
        model="m",
        sample=0,
        state=CallState.RESERVED,
        request="{}",
        started_at=START,
    ).replaced(**changes)


DONE = row(
    state=CallState.DONE,
    outcome="ok",
    mode="tools",
    attempts=2,
    usage=Usage(prompt=10, cached=4, output=5),
    cost_nano_usd=7,
    cost_source=CostSource.PRICE,
    charged=Amount(nano_usd=7, tokens=15),
    reply='{"text": "é 漢 \\ud83d"}',
    finished_at=START,
)


@pytest.fixture
def ledger(database):
    return SqlLedger(database)


async def test_a_row_comes_back_as_it_was_kept(ledger, database):
    assert await ledger.reserve(row(), [RUN], WORST) is None
    assert await ledger.find("k") is None
    assert await ledger.rows() == [row()]
    await ledger.settle(DONE, [RUN], WORST, DONE.charged)
    again = SqlLedger(database)
    assert await again.find("k") == DONE
    assert await again.spend(RUN.name) == ScopeSpend(spent=DONE.charged)


async def test_a_failed_call_answers_nothing(ledger):
    failed = row(state=CallState.FAILED, outcome="timeout", finished_at=START)
    await ledger.settle(failed, [], Amount(), Amount())
    assert await ledger.find("k") is None


async def test_erase_takes_the_texts_of_one_tenant_and_leaves_the_accounts(
    ledger, database, tmp_path
):
    secret = '{"text": "the learner said xyzzy"}'
    mine = DONE.replaced(reply=secret, request=secret)
    await ledger.settle(mine, [RUN], Amount(), mine.charged)
    await ledger.settle(mine.replaced(key="b", tenant="b"), [], Amount(), Amount())
    assert await ledger.erase("b") == 1
    assert await ledger.find("b") is None
    assert await ledger.find("k") == mine
    assert await ledger.erase("a") == 1
    assert (await ledger.spend(RUN.name)).spent == mine.charged
    assert [r.request + r.reply for r in await ledger.rows()] == ["", ""]
    if database.is_sqlite:
        for file in tmp_path.glob("grader.db*"):
            assert b"xyzzy" not in file.read_bytes()


FRESH = itertools.count()
AMOUNTS = st.builds(Amount, nano_usd=st.integers(0, 50), tokens=st.integers(0, 50))


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    limit=st.integers(0, 200),
    steps=st.lists(st.tuples(st.booleans(), AMOUNTS, AMOUNTS), max_size=15),
)
def test_spent_and_held_never_exceed_the_bound(ledger, limit, steps):
    async def main():
        scope = BudgetScope(name=f"s{next(FRESH)}", nano_usd=limit, tokens=limit)
        held = []
        for reserve, worst, cost in steps:
            if reserve:
                if await ledger.reserve(row(), [scope], worst) is None:
                    held.append(worst)
            elif held:
                hold = held.pop()
                charge = Amount(
                    nano_usd=min(cost.nano_usd, hold.nano_usd),
                    tokens=min(cost.tokens, hold.tokens),
                )
                await ledger.settle(row(), [scope], hold, charge)
            spend = await ledger.spend(scope.name)
            assert scope.admits(spend.spent + spend.held)
            assert spend.held == sum(held, Amount())

    asyncio.run(main())


async def test_a_refused_reservation_leaves_no_trace(ledger):
    open_scope, shut = BudgetScope(name="open"), BudgetScope(name="shut", tokens=0)
    assert await ledger.reserve(row(), [open_scope, shut], Amount(tokens=1)) == shut
    assert await ledger.rows() == []
    assert await ledger.spend("open") == ScopeSpend()


async def test_reservations_at_once_keep_one_bound(ledger):
    scopes = [BudgetScope(name="s", tokens=10), BudgetScope(name="t", tokens=10)]
    given = await asyncio.gather(
        *(ledger.reserve(row(str(n)), scopes[:: (-1) ** n], Amount(tokens=3)) for n in range(8))
    )
    assert given.count(None) == 3
    for scope in scopes:
        assert (await ledger.spend(scope.name)).held == Amount(tokens=9)


async def test_a_step_whose_commit_was_cut_off_is_not_done_twice(ledger, database, monkeypatch):
    """The commit happens, its answer is lost, and the step is tried again."""
    whole = database.writing
    lost = [True, True]

    @contextmanager
    def cut_off():
        with whole() as unit:
            yield unit
        if lost and lost.pop():
            raise StoreUnavailableError("the connection was lost")

    monkeypatch.setattr(database, "writing", cut_off)
    monkeypatch.setattr("grader.store.patience.FIRST_WAIT_S", 0.0)
    assert await ledger.reserve(row(), [RUN], WORST) is None
    assert await ledger.spend(RUN.name) == ScopeSpend(held=WORST)
    await ledger.settle(DONE, [RUN], WORST, DONE.charged)
    assert await ledger.spend(RUN.name) == ScopeSpend(spent=DONE.charged)
    assert lost == []
