"""The ledger: what a step recorded is there afterwards, whoever dies in between."""

import asyncio
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judges.ledger import (
    Amount,
    BudgetScope,
    CallRow,
    CallState,
    CostSource,
    LedgerError,
    ScopeSpend,
    Usage,
)
from grader.judges.ledger_sqlite import SqliteLedger

START = datetime(2030, 1, 1, tzinfo=UTC)
RUN = BudgetScope(name="run:a/1")


def row(key: str = "k", **changes: object) -> CallRow:
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


async def test_a_row_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "calls.db")
    worst = Amount(nano_usd=100, tokens=50)
    assert await ledger.reserve(row(), [RUN], worst) is None
    assert await ledger.find("k") is None
    assert await ledger.rows() == [row()]
    await ledger.settle(DONE, [RUN], worst, DONE.charged)
    ledger.close()
    again = SqliteLedger(tmp_path / "calls.db")
    assert await again.find("k") == DONE
    assert await again.spend(RUN.name) == ScopeSpend(spent=DONE.charged)


async def test_a_failed_call_answers_nothing() -> None:
    ledger = SqliteLedger()
    failed = row(state=CallState.FAILED, outcome="timeout", finished_at=START)
    await ledger.settle(failed, [], Amount(), Amount())
    assert await ledger.find("k") is None


async def test_erase_takes_the_texts_of_one_tenant_and_leaves_the_accounts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "calls.db"
    ledger = SqliteLedger(path)
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
    for file in tmp_path.iterdir():
        assert b"xyzzy" not in file.read_bytes()


AMOUNTS = st.builds(Amount, nano_usd=st.integers(0, 50), tokens=st.integers(0, 50))


@given(
    limit=st.integers(0, 200),
    steps=st.lists(st.tuples(st.booleans(), AMOUNTS, AMOUNTS), max_size=40),
)
def test_spent_and_held_never_exceed_the_bound(
    limit: int, steps: list[tuple[bool, Amount, Amount]]
) -> None:
    async def main() -> None:
        ledger = SqliteLedger()
        scope = BudgetScope(name="s", nano_usd=limit, tokens=limit)
        held: list[Amount] = []
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
            spend = await ledger.spend("s")
            total = spend.spent + spend.held
            assert scope.admits(total)
            assert spend.held == sum(held, Amount())

    asyncio.run(main())


async def test_a_refused_reservation_leaves_no_trace() -> None:
    ledger = SqliteLedger()
    open_scope, shut = BudgetScope(name="open"), BudgetScope(name="shut", tokens=0)
    full = await ledger.reserve(row(), [open_scope, shut], Amount(tokens=1))
    assert full == shut
    assert await ledger.rows() == []
    assert await ledger.spend("open") == ScopeSpend()


WRITER = """
import asyncio, sys
from grader.judges.ledger import Amount, BudgetScope
from grader.judges.ledger_sqlite import SqliteLedger
from tests.judges.test_ledger_sqlite import DONE
async def main():
    ledger = SqliteLedger(sys.argv[1])
    for number in range(100_000):
        made = DONE.replaced(key=f"{sys.argv[2]}-{number}")
        await ledger.reserve(made, [BudgetScope(name="s")], Amount(tokens=9))
        await ledger.settle(made, [BudgetScope(name="s")], Amount(tokens=9), Amount(tokens=1))
        print(made.key, flush=True)
asyncio.run(main())
"""


async def test_what_was_recorded_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    said: list[str] = []
    for turn in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(turn)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert writer.stdout is not None
        said += [writer.stdout.readline().strip() for _ in range(20)]
        os.kill(writer.pid, signal.SIGKILL)
        said += [line.strip() for line in writer.stdout.read().split("\n")[:-1]]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
    ledger = SqliteLedger(path)
    kept = {r.key for r in await ledger.rows()}
    assert set(said) <= kept
    spend = await ledger.spend("s")
    assert len(said) <= spend.spent.tokens <= len(kept)


async def test_two_ledgers_on_one_file_keep_one_bound(tmp_path: Path) -> None:
    one, two = (SqliteLedger(tmp_path / "calls.db") for _ in range(2))
    scope = BudgetScope(name="s", tokens=10)
    assert await one.reserve(row("1"), [scope], Amount(tokens=6)) is None
    assert await two.reserve(row("2"), [scope], Amount(tokens=6)) == scope
    assert await two.reserve(row("2"), [scope], Amount(tokens=4)) is None


async def test_a_broken_file_is_our_fault_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "calls.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(LedgerError, match=r"calls\.db"):
        SqliteLedger(tmp_path / "calls.db")
    ledger = SqliteLedger(tmp_path / "closed.db")
    ledger.close()
    with pytest.raises(LedgerError, match=r"closed\.db"):
        await ledger.find("k")


@pytest.mark.parametrize("value", [-1])
def test_amounts_are_not_negative(value: int) -> None:
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        Amount(tokens=value)
