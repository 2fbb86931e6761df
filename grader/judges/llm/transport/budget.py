"""The hard budget: the worst case of a call is held before it leaves, its cost charged after."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_FLOOR

from grader.judges.ledger import NANO_USD, Amount, BudgetScope, CallLedger, CallRow
from grader.judges.llm.transport.faults import BudgetFault
from grader.judges.llm.transport.settings import Budget, Cap


class BudgetGate:
    """Holds and settles against the ledger; one an event loop.

    A call that does not fit waits while other calls of this process hold money that they may give
    back, and is refused when none does. So a budget is spent to within one worst case.

    Args:
        ledger: Keeps the sums.
        budget: The bounds.
    """

    def __init__(self, ledger: CallLedger, budget: Budget) -> None:
        self._ledger = ledger
        self._budget = budget
        self._holding: Counter[str] = Counter()
        self._settled = asyncio.Event()

    def scopes(self, tenant: str, run: str, date: datetime) -> tuple[BudgetScope, ...]:
        """The scopes that a call counts in, bounded or not."""
        names = (f"run:{tenant}/{run}", f"tenant:{tenant}", f"day:{tenant}:{date:%Y-%m-%d}")
        return tuple(_scope(n, cap) for n, cap in zip(names, self._budget.caps, strict=True))

    async def hold(self, row: CallRow, scopes: Sequence[BudgetScope], worst: Amount) -> None:
        """Holds the worst case in all scopes; writes the row.

        Raises:
            BudgetFault: It does not fit and nothing that could make room is in flight.
        """
        while (full := await self._ledger.reserve(row, scopes, worst)) is not None:
            if not self._holding[full.name]:
                raise BudgetFault(
                    f"the budget {full.name} has no room for a call of up to "
                    f"${worst.usd:.6f} and {worst.tokens} tokens",
                    remedy="raise the budget and run again; finished calls are not repeated",
                )
            await self._settled.wait()
        self._holding.update(scope.name for scope in scopes)

    async def settle(
        self, row: CallRow, scopes: Sequence[BudgetScope], held: Amount, charge: Amount
    ) -> None:
        """Gives the hold back, charges the cost, wakes those who wait for room."""
        self._holding.subtract(scope.name for scope in scopes)
        try:
            await self._ledger.settle(row, scopes, held, charge)
        finally:
            self._settled.set()
            self._settled = asyncio.Event()


def _scope(name: str, cap: Cap) -> BudgetScope:
    money = None
    if cap.usd is not None:
        money = int((cap.usd * NANO_USD).to_integral_value(rounding=ROUND_FLOOR))
    return BudgetScope(name=name, nano_usd=money, tokens=cap.tokens)
