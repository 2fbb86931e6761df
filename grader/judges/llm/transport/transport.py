"""The door: endpoints in order, one flight a call, answers from the ledger first."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from weakref import WeakKeyDictionary

from grader.judges.ledger import CallLedger
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm.transport.budget import BudgetGate
from grader.judges.llm.transport.call import Call, Desk, EndpointState
from grader.judges.llm.transport.circuit import Circuit
from grader.judges.llm.transport.clock import Clock, SystemClock
from grader.judges.llm.transport.faults import CircuitOpenFault, RetryableFault
from grader.judges.llm.transport.flight import Flight, Flights
from grader.judges.llm.transport.limiter import RateLimits, Slots
from grader.judges.llm.transport.litellm_wire import LitellmWire
from grader.judges.llm.transport.modes import ModeLadder
from grader.judges.llm.transport.pricing import Tariff
from grader.judges.llm.transport.record import reply_of
from grader.judges.llm.transport.request import CompletionReply, CompletionRequest, cost_usd
from grader.judges.llm.transport.settings import Endpoint, TransportSettings
from grader.judges.llm.transport.window import AimdWindow
from grader.judges.llm.transport.wire import Wire

_PASSED_ON = (RetryableFault, CircuitOpenFault)


@dataclass(frozen=True)
class Estimate:
    """What a call may take, told without making it.

    Attributes:
        prompt_tokens: A fair guess.
        most_tokens: Upper bound of prompt and output.
        most_usd: Upper bound of the cost; None where the price is unknown.
    """

    prompt_tokens: int
    most_tokens: int
    most_usd: Decimal | None


@dataclass
class _LoopState:
    """What belongs to one event loop: its futures may not be awaited from another."""

    gate: BudgetGate
    flights: Flights
    slots: dict[str, Slots]


class Transport:
    """Makes calls; one object for a process, whatever event loops come and go.

    Args:
        settings: Endpoints, limits, budget, policies.
        ledger: Where calls are kept; in memory where None.
        wire: Puts requests on the network; litellm where None.
        clock: Time.
        rng: Source of the jitter.
    """

    def __init__(
        self,
        settings: TransportSettings,
        *,
        ledger: CallLedger | None = None,
        wire: Wire | None = None,
        clock: Clock | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.settings = settings
        self.ledger = ledger or SqliteLedger()
        self._wire = wire or LitellmWire()
        self._clock = clock or SystemClock()
        self._rng = rng or random.Random()
        self._ladder = ModeLadder()
        self._states: dict[str, EndpointState] = {}
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopState] = WeakKeyDictionary()

    async def complete(self, request: CompletionRequest) -> CompletionReply:
        """Answers a request: from the ledger, else from the first endpoint that can.

        Raises:
            LlmFault: By its class.
            LedgerError: The ledger cannot be read or written.
            ExtraMissingError: litellm is not installed.
        """
        # Before the deadline starts: the first call of a process loads litellm.
        self.check()
        loop = self._loop()
        key = request.key(self.settings.endpoints[0])
        return await loop.flights.join(
            key, request.deadline_s, lambda flight: self._answer(request, flight, loop)
        )

    def check(self) -> None:
        """Finds out what can be found out without a request; loads litellm.

        Raises:
            ConfigFault: A model has no price and the budget is not in tokens.
            ExtraMissingError: litellm is not installed.
        """
        for endpoint in self.settings.endpoints:
            self._state(endpoint)

    def estimate(self, request: CompletionRequest) -> Estimate:
        """What a call to the first endpoint may take; sends nothing."""
        tariff = Tariff(self.settings.endpoints[0], self._wire.price)
        worst = tariff.worst(request)
        return Estimate(
            prompt_tokens=request.likely_prompt_tokens,
            most_tokens=worst.tokens,
            most_usd=None if tariff.price is None else cost_usd(worst.nano_usd),
        )

    def is_down(self) -> bool:
        """Whether the circuit of every endpoint is open."""
        states = [self._states.get(e.identity) for e in self.settings.endpoints]
        return all(state is not None and state.circuit.is_open for state in states)

    async def _answer(
        self, request: CompletionRequest, flight: Flight, loop: _LoopState
    ) -> CompletionReply:
        for endpoint in self.settings.endpoints:
            row = await self.ledger.find(request.key(endpoint))
            if row is not None:
                return reply_of(row, request)
        return await self._ask(self.settings.endpoints, request, flight, loop)

    async def _ask(
        self,
        endpoints: Sequence[Endpoint],
        request: CompletionRequest,
        flight: Flight,
        loop: _LoopState,
    ) -> CompletionReply:
        first, *others = endpoints
        try:
            call = Call(self._desk(first, loop), request, request.key(first), flight)
            return await call.run()
        except _PASSED_ON:
            if not others or self._clock.now() >= flight.deadline:
                raise
            return await self._ask(others, request, flight, loop)

    def _loop(self) -> _LoopState:
        running = asyncio.get_running_loop()
        state = self._loops.get(running)
        if state is None:
            gate = BudgetGate(self.ledger, self.settings.budget)
            state = self._loops[running] = _LoopState(gate, Flights(self._clock), {})
        return state

    def _desk(self, endpoint: Endpoint, loop: _LoopState) -> Desk:
        state = self._state(endpoint)
        slots = loop.slots.get(endpoint.identity)
        if slots is None:
            slots = loop.slots[endpoint.identity] = Slots(state.window, self._clock)
        return Desk(
            settings=self.settings,
            clock=self._clock,
            rng=self._rng,
            wire=self._wire,
            ladder=self._ladder,
            gate=loop.gate,
            state=state,
            slots=slots,
        )

    def _state(self, endpoint: Endpoint) -> EndpointState:
        state = self._states.get(endpoint.identity)
        if state is None:
            self._wire.prepare()
            tariff = Tariff(endpoint, self._wire.price)
            tariff.demand_bound(self.settings.budget)
            state = self._states[endpoint.identity] = EndpointState(
                endpoint=endpoint,
                circuit=Circuit(self.settings.circuit),
                window=AimdWindow(self.settings.concurrency),
                rates=RateLimits(endpoint, self._clock),
                tariff=tariff,
            )
        return state
