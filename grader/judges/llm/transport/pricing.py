"""What a call costs: the provider's figure, else our price, else unknown. Never a made-up 0."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Decimal

from grader.judges.ledger import NANO_USD, Amount, CostSource, Usage
from grader.judges.llm.transport.faults import ConfigFault
from grader.judges.llm.transport.request import CompletionRequest
from grader.judges.llm.transport.settings import Budget, Endpoint, Price

PriceMap = Callable[[str], Price | None]

_NANO_PER_MILLIONTH = NANO_USD // 1_000_000


class Tariff:
    """The price of one endpoint.

    The worst case bounds the cost as long as the price does. Where a provider states more than
    that, the worst case of the next calls rises with it; what is in flight by then may exceed it.

    Args:
        endpoint: Its own price comes first.
        price_map: Price of a model by name; None where unknown.
    """

    def __init__(self, endpoint: Endpoint, price_map: PriceMap) -> None:
        mapped = None if endpoint.price is not None else price_map(endpoint.model)
        self.model = endpoint.model
        self.price = endpoint.price or mapped
        self.source = _source(endpoint.price, mapped)
        self._dearer = Decimal(1)
        self._dearest = 0

    def worst(self, request: CompletionRequest) -> Amount:
        """Upper bound of a call, no cache hit and all output tokens used."""
        usage = Usage(prompt=request.worst_prompt_tokens, output=request.max_output_tokens)
        if self.price is None:
            return Amount(nano_usd=self._dearest, tokens=usage.total)
        cost = price_of(usage, self.price, worst=True)
        return Amount(nano_usd=math.ceil(cost * self._dearer), tokens=usage.total)

    def cost(self, usage: Usage, stated_usd: float | None) -> tuple[int | None, CostSource]:
        """Nano-dollars of a reply and where the figure comes from."""
        if stated_usd is not None:
            nano_usd = int(
                (Decimal(str(stated_usd)) * NANO_USD).to_integral_value(rounding=ROUND_CEILING)
            )
            return nano_usd, CostSource.PROVIDER
        if self.price is None or not usage.total:
            return None, CostSource.UNKNOWN
        return price_of(usage, self.price), self.source

    def learn(self, worst: Amount, nano_usd: int | None) -> None:
        """Raises the worst case where a provider's figure was above it."""
        if nano_usd is None:
            return
        self._dearest = max(self._dearest, nano_usd)
        if nano_usd > worst.nano_usd > 0:
            self._dearer *= Decimal(nano_usd) / worst.nano_usd

    def demand_bound(self, budget: Budget) -> None:
        """A model of unknown price needs a bound that can be kept.

        Raises:
            ConfigFault: No price, and no budget in tokens.
        """
        if self.price is None and all(cap.tokens is None for cap in budget.caps):
            raise ConfigFault(
                f"the price of model {self.model} is unknown",
                remedy="give --price-in and --price-out (0 for a model of your own), "
                "or a budget in tokens",
            )


def price_of(usage: Usage, price: Price, *, worst: bool = False) -> int:
    """Nano-dollars of some tokens, rounded up; ``worst`` takes the dearer prompt price."""
    cached_price = price.prompt if price.cached is None else price.cached
    prompt_price = max(price.prompt, cached_price) if worst else price.prompt
    fresh = max(0, usage.prompt - usage.cached)
    total = fresh * prompt_price + usage.cached * cached_price + usage.output * price.output
    nano_usd = total * _NANO_PER_MILLIONTH
    return int(nano_usd.to_integral_value(rounding=ROUND_CEILING))


def _source(own: Price | None, mapped: Price | None) -> CostSource:
    if own is not None:
        return CostSource.PRICE
    return CostSource.UNKNOWN if mapped is None else CostSource.PRICE_MAP
