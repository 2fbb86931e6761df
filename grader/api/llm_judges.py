"""The LLM judge of a deployment, configured by its environment; packages load at the first job."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING

from grader.errors import InputError
from grader.judges.port import Judge
from grader.store.database import Database
from grader.store.ledger import SqlLedger

if TYPE_CHECKING:
    from grader.judges.llm.transport import Transport

LLM = "llm"


@dataclass(frozen=True)
class LlmOptions:
    """Which model judges, and what it may cost.

    Attributes:
        models: As litellm names them; a later one takes over where an earlier one is down.
        api_base: Address of an OpenAI-compatible server; that of the provider where empty.
        price: Dollars per million prompt and output tokens; the known price where None.
        day_usd: Most dollars of one tenant on one day.
        day_tokens: Most tokens of one tenant on one day.
    """

    models: tuple[str, ...] = ()
    api_base: str = ""
    price: tuple[Decimal, Decimal] | None = None
    day_usd: Decimal | None = None
    day_tokens: int | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "LlmOptions":
        """Reads the variables of the judge.

        ``GRADER_LLM_MODELS`` (commas between), ``GRADER_LLM_API_BASE``, ``GRADER_LLM_PRICE_IN``,
        ``GRADER_LLM_PRICE_OUT``, ``GRADER_LLM_DAY_USD``, ``GRADER_LLM_DAY_TOKENS``.

        Raises:
            InputError: A figure is none, or one of two prices is missing.
        """
        env = os.environ if environment is None else environment
        price_in = _decimal(env, "GRADER_LLM_PRICE_IN")
        price_out = _decimal(env, "GRADER_LLM_PRICE_OUT")
        if (price_in is None) != (price_out is None):
            raise InputError(
                "GRADER_LLM_PRICE_IN and GRADER_LLM_PRICE_OUT belong together",
                remedy="set both",
            )
        tokens = _decimal(env, "GRADER_LLM_DAY_TOKENS")
        models = env.get("GRADER_LLM_MODELS", "").split(",")
        return cls(
            models=tuple(name.strip() for name in models if name.strip()),
            api_base=env.get("GRADER_LLM_API_BASE", ""),
            price=(price_in, price_out) if price_in is not None and price_out is not None else None,
            day_usd=_decimal(env, "GRADER_LLM_DAY_USD"),
            day_tokens=int(tokens) if tokens is not None else None,
        )


class LlmMaker:
    """Makes a judge for each job; all share one transport, its limits and the ledger.

    Args:
        options: Which model.
        database: Holds the ledger.
        secret: Of the deployment; the fence around answers goes by it.
    """

    def __init__(self, options: LlmOptions, database: Database, secret: bytes) -> None:
        self._options = options
        self._database = database
        self._secret = secret

    def make(self, *, tenant_id: str, job_id: str) -> Judge:
        """A judge whose calls are booked on that tenant and job."""
        from grader.judges.llm import LlmJudge, LlmSettings

        settings = LlmSettings(reasons=True, tenant=tenant_id, run=job_id)
        return LlmJudge(self._transport, self._secret, settings, tripwire=self._offline)

    @cached_property
    def _offline(self) -> Judge:
        from grader.judges.offline import OfflineJudge

        return OfflineJudge()

    @cached_property
    def _transport(self) -> "Transport":
        from grader.judges.llm.transport import (
            Budget,
            Cap,
            Endpoint,
            Price,
            Transport,
            TransportSettings,
        )

        given, price = self._options, None
        if given.price is not None:
            price = Price(prompt=given.price[0], output=given.price[1])
        settings = TransportSettings(
            endpoints=tuple(
                Endpoint(model=model, api_base=given.api_base, price=price)
                for model in given.models
            ),
            budget=Budget(day=Cap(usd=given.day_usd, tokens=given.day_tokens)),
        )
        return Transport(settings, ledger=SqlLedger(self._database))


def judge_makers(options: LlmOptions, database: Database, secret: bytes) -> dict[str, LlmMaker]:
    """The judges of a deployment beside the offline one, by name."""
    return {LLM: LlmMaker(options, database, secret)} if options.models else {}


def _decimal(env: Mapping[str, str], name: str) -> Decimal | None:
    text = env.get(name, "")
    if not text:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or value < 0:
        raise InputError(f"{name} is {text!r}", remedy="give a figure")
    return value
