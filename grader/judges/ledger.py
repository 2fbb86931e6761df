"""The call ledger: one row a paid call, keyed by content, and the money and tokens held for it.

A row is ``reserved`` before its request leaves and ``done`` when the reply is in; an identical
call is answered from the row. A hold is the worst case of a call, kept against every scope of the
budget (run, tenant, day) until the true cost is known. Holds of a process that died stay counted:
nobody knows whether the provider billed those calls, and a hard budget assumes that it did.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Protocol, Self

from pydantic import Field

from grader.domain.model import FrozenModel
from grader.errors import FaultError

NANO_USD = 1_000_000_000
"""Nano-dollars in a dollar; money is whole nano-dollars so that sums are exact."""


class LedgerError(FaultError):
    """The ledger cannot be read or written: no call can be made without it."""


class CallState(StrEnum):
    """How far a call has come."""

    RESERVED = "reserved"
    DONE = "done"
    FAILED = "failed"


class CostSource(StrEnum):
    """Where the figure of a cost comes from."""

    PROVIDER = "provider"
    PRICE = "price"
    PRICE_MAP = "price_map"
    UNKNOWN = "unknown"


class Usage(FrozenModel):
    """Tokens of one reply as the provider counted them; ``cached`` is part of ``prompt``."""

    prompt: Annotated[int, Field(ge=0)] = 0
    cached: Annotated[int, Field(ge=0)] = 0
    output: Annotated[int, Field(ge=0)] = 0

    @property
    def total(self) -> int:
        """Prompt and output tokens."""
        return self.prompt + self.output


class Amount(FrozenModel):
    """Money in nano-dollars and tokens; what a budget counts."""

    nano_usd: Annotated[int, Field(ge=0)] = 0
    tokens: Annotated[int, Field(ge=0)] = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(nano_usd=self.nano_usd + other.nano_usd, tokens=self.tokens + other.tokens)

    @property
    def usd(self) -> Decimal:
        """The money in dollars."""
        return Decimal(self.nano_usd) / NANO_USD


class BudgetScope(FrozenModel):
    """One thing that a budget bounds, e.g. ``day:acme:2027-01-31``; None is no bound."""

    name: str
    nano_usd: int | None = None
    tokens: int | None = None

    def admits(self, amount: Amount) -> bool:
        """Whether ``amount``, all that is spent and held, fits."""
        money = self.nano_usd is None or amount.nano_usd <= self.nano_usd
        return money and (self.tokens is None or amount.tokens <= self.tokens)


class CallRow(FrozenModel):
    """One call.

    Attributes:
        key: SHA-256 over everything that decides the reply.
        run: The batch or attempt that paid for it.
        outcome: ``ok`` or the cause of the fault; empty while reserved.
        mode: Structured-output mode of the last request.
        attempts: Requests sent by the latest try of the call; ``charged`` is of that try too.
        cost_nano_usd: Cost of the reply; None when unknown.
        charged: What the budget was charged, worst cases of requests without a reply included.
        request: The request as JSON.
        reply: The reply as JSON; empty without one.
        started_at: UTC, of the first reservation.
        finished_at: UTC; None while reserved.
    """

    key: str
    tenant: str
    run: str
    model: str
    sample: int
    state: CallState
    outcome: str = ""
    mode: str = ""
    attempts: int = 0
    usage: Usage = Usage()
    cost_nano_usd: int | None = None
    cost_source: CostSource = CostSource.UNKNOWN
    charged: Amount = Amount()
    request: str = ""
    reply: str = ""
    started_at: datetime
    finished_at: datetime | None = None

    def replaced(self, **changes: object) -> Self:
        """A copy with some fields changed; the values are trusted."""
        return self.model_copy(update=changes)


class ScopeSpend(FrozenModel):
    """What one budget scope has settled and what it still holds."""

    spent: Amount = Amount()
    held: Amount = Amount()


class CallLedger(Protocol):
    """Where calls are kept. Every method is one atomic step and may raise ``LedgerError``."""

    async def find(self, key: str) -> CallRow | None:
        """The row of a finished call; None where it is absent, reserved or failed."""
        ...

    async def reserve(
        self, row: CallRow, scopes: Sequence[BudgetScope], worst: Amount
    ) -> BudgetScope | None:
        """Writes the row and holds ``worst`` in every scope, or does nothing.

        Returns:
            None when reserved, else the first scope that has no room.
        """
        ...

    async def settle(
        self, row: CallRow, scopes: Sequence[BudgetScope], held: Amount, charge: Amount
    ) -> None:
        """Writes the row, gives the hold back and charges what was spent in its place."""
        ...

    async def spend(self, scope: str) -> ScopeSpend:
        """What a scope has spent and holds."""
        ...

    async def rows(self, *, tenant: str | None = None, run: str | None = None) -> list[CallRow]:
        """Rows in order of their first reservation."""
        ...

    async def erase(self, tenant: str) -> int:
        """Removes the request and reply texts of a tenant; returns how many rows lost theirs.

        The rows stay for the accounts but no longer answer calls.
        """
        ...
