"""Costs: the provider's figure, else a price, else unknown; never a made-up 0."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from grader.judges.ledger import CostSource, Usage
from grader.judges.llm.transport import Endpoint, Price
from grader.judges.llm.transport.litellm_wire import LitellmWire
from grader.judges.llm.transport.pricing import Tariff, price_of
from tests.judges.llm.transport.fakes import ask

USAGE = Usage(prompt=1000, cached=400, output=100)
PRICE = Price(prompt=Decimal("0.25"), cached=Decimal("0.025"), output=2)


def test_cached_tokens_cost_their_own_price() -> None:
    # 600 x 0.25 + 400 x 0.025 + 100 x 2 micro-dollars
    assert price_of(USAGE, PRICE) == 360_000
    assert price_of(USAGE, PRICE.model_copy(update={"cached": None})) == 450_000


def test_the_order_of_sources() -> None:
    mapped = Tariff(Endpoint(model="m"), lambda model: PRICE)
    own = Tariff(Endpoint(model="m", price=PRICE), lambda model: None)
    unknown = Tariff(Endpoint(model="m"), lambda model: None)
    assert mapped.cost(USAGE, 0.01) == (10_000_000, CostSource.PROVIDER)
    assert mapped.cost(USAGE, None) == (360_000, CostSource.PRICE_MAP)
    assert own.cost(USAGE, None) == (360_000, CostSource.PRICE)
    assert unknown.cost(USAGE, None) == (None, CostSource.UNKNOWN)
    assert own.cost(Usage(), None) == (None, CostSource.UNKNOWN)


@given(
    prompt=st.integers(0, 10_000),
    share=st.floats(0, 1),
    output=st.integers(0, 100),
    prices=st.tuples(*[st.decimals(0, 100, places=4)] * 3),
)
def test_the_worst_case_is_never_below_the_cost(
    prompt: int, share: float, output: int, prices: tuple[Decimal, Decimal, Decimal]
) -> None:
    price = Price(prompt=prices[0], cached=prices[1], output=prices[2])
    request = ask("x" * prompt, max_output_tokens=100)
    usage = Usage(prompt=prompt, cached=int(prompt * share), output=output)
    tariff = Tariff(Endpoint(model="m", price=price), lambda model: None)
    assert price_of(usage, price) <= tariff.worst(request).nano_usd
    assert usage.total <= tariff.worst(request).tokens


def test_a_provider_dearer_than_the_price_raises_the_worst_case() -> None:
    tariff = Tariff(Endpoint(model="m", price=PRICE), lambda model: None)
    worst = tariff.worst(ask())
    tariff.learn(worst, worst.nano_usd * 3)
    assert tariff.worst(ask()).nano_usd >= worst.nano_usd * 3
    tariff.learn(tariff.worst(ask()), 1)
    assert tariff.worst(ask()).nano_usd >= worst.nano_usd * 3


def test_without_a_price_the_dearest_stated_cost_is_the_worst_case() -> None:
    tariff = Tariff(Endpoint(model="m"), lambda model: None)
    assert tariff.worst(ask()).nano_usd == 0
    tariff.learn(tariff.worst(ask()), 70)
    tariff.learn(tariff.worst(ask()), 30)
    tariff.learn(tariff.worst(ask()), None)
    assert tariff.worst(ask()).nano_usd == 70


def test_the_bundled_map_knows_common_models_and_owns_up_to_its_gaps() -> None:
    wire = LitellmWire()
    known = wire.price("openai/gpt-4.1-mini")
    assert known is not None
    assert 0 < known.prompt < known.output
    assert wire.price("openai/no-such-model") is None
    # The map has a 0 for it, which is no price.
    assert wire.price("ollama/llama3") is None
