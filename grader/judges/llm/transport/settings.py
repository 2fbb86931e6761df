"""What a transport is told: endpoints, limits, budgets, policies. Plain frozen data."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field, SecretStr

from grader.domain.model import FrozenModel

Seconds = Annotated[float, Field(gt=0)]
UsdPerMillion = Annotated[Decimal, Field(ge=0)]


class Mode(StrEnum):
    """How a JSON object is asked for, strongest first."""

    JSON_SCHEMA = "json_schema"
    TOOLS = "tools"
    JSON_OBJECT = "json_object"
    FENCE = "fence"


class Price(FrozenModel):
    """Dollars per million tokens; a cached token costs ``cached``, or as any other where None."""

    prompt: UsdPerMillion
    output: UsdPerMillion
    cached: UsdPerMillion | None = None


class Endpoint(FrozenModel):
    """A model at an address.

    Attributes:
        model: litellm model string, e.g. ``openai/gpt-4.1-mini``.
        api_base: Address of an OpenAI-compatible server; the provider's own where empty.
        api_key: The provider's usual variable is read where None.
        price: Overrides the price map.
        rpm: Requests a minute.
        tpm: Tokens a minute, prompt and output.
        mode: First rung of the ladder; json_schema where None.
    """

    model: Annotated[str, Field(min_length=1)]
    api_base: str = ""
    api_key: SecretStr | None = None
    price: Price | None = None
    rpm: Annotated[int, Field(gt=0)] | None = None
    tpm: Annotated[int, Field(gt=0)] | None = None
    mode: Mode | None = None

    @property
    def identity(self) -> str:
        """What limits, circuit and mode are remembered by."""
        return f"{self.model}@{self.api_base}"


class Cap(FrozenModel):
    """A hard bound; None is no bound."""

    usd: Annotated[Decimal, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None


class Budget(FrozenModel):
    """Hard bounds for one run, for a tenant for ever, and for a tenant on one UTC day."""

    run: Cap = Cap()
    tenant: Cap = Cap()
    day: Cap = Cap()

    @property
    def caps(self) -> tuple[Cap, Cap, Cap]:
        """All three."""
        return (self.run, self.tenant, self.day)


class RetryPolicy(FrozenModel):
    """How often and how soon a request is sent again.

    Attributes:
        faults: Further requests after 5xx, connection faults and time-outs, together.
        timeouts: Of those, after time-outs.
        rate_limits: Further requests after a 429.
        base_s: First delay; each next one doubles, all with jitter.
        most_s: Longest delay of our own; a Retry-After may be longer.
    """

    faults: Annotated[int, Field(ge=0)] = 3
    timeouts: Annotated[int, Field(ge=0)] = 1
    rate_limits: Annotated[int, Field(ge=0)] = 6
    base_s: Seconds = 0.5
    most_s: Seconds = 8.0


class Concurrency(FrozenModel):
    """Requests in flight at one endpoint.

    Attributes:
        start: Sent at once to an endpoint that is not known yet.
        most: Never more than this.
        settle_s: Time given to the first ones to be refused.
        ramp_s: Then, while no 429 has come, one more every so often until ``most`` is reached.
    """

    start: Annotated[int, Field(gt=0)] = 8
    most: Annotated[int, Field(gt=0)] = 32
    settle_s: Seconds = 0.05
    ramp_s: Seconds = 0.005


class CircuitPolicy(FrozenModel):
    """When an endpoint counts as down.

    Attributes:
        failures: So many in a row open the circuit.
        few: So many in a row do where they span ``span_s``: a lone caller that retries.
        span_s: See ``few``.
        cooldown_s: Time until one probe is let through; doubles with each failed probe.
        most_cooldown_s: Longest such time.
    """

    failures: Annotated[int, Field(gt=0)] = 10
    few: Annotated[int, Field(gt=0)] = 3
    span_s: Seconds = 0.7
    cooldown_s: Seconds = 5.0
    most_cooldown_s: Seconds = 60.0


class TransportSettings(FrozenModel):
    """Everything a transport is told.

    Attributes:
        endpoints: The first serves; the next ones take over, in order, when it cannot.
        attempt_timeout_s: Longest wait for one reply.
    """

    endpoints: Annotated[tuple[Endpoint, ...], Field(min_length=1)]
    budget: Budget = Budget()
    retry: RetryPolicy = RetryPolicy()
    concurrency: Concurrency = Concurrency()
    circuit: CircuitPolicy = CircuitPolicy()
    attempt_timeout_s: Seconds = 60.0

    @property
    def most_requests(self) -> int:
        """Requests that one call sends at most to one endpoint, whatever happens."""
        return 1 + self.retry.faults + self.retry.rate_limits + len(Mode) - 1
