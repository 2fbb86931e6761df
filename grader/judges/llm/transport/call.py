"""One call at one endpoint: from the first request to a reply, or to the fault that ends it."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from grader.judges.ledger import Amount, BudgetScope, CallState
from grader.judges.llm.transport.backoff import Retries
from grader.judges.llm.transport.budget import BudgetGate
from grader.judges.llm.transport.circuit import Circuit
from grader.judges.llm.transport.clock import Clock
from grader.judges.llm.transport.faults import (
    BadRequestFault,
    Cause,
    CircuitOpenFault,
    ConnectionFault,
    LlmFault,
    ModeRefusedFault,
    RateLimitedFault,
    RetryableFault,
    ServerErrorFault,
    TimeoutFault,
)
from grader.judges.llm.transport.flight import Flight
from grader.judges.llm.transport.limiter import RateLimits, Slots
from grader.judges.llm.transport.modes import ModeLadder, render
from grader.judges.llm.transport.pricing import Tariff
from grader.judges.llm.transport.record import new_row, outcome_of, reply_of, reply_text
from grader.judges.llm.transport.request import CompletionReply, CompletionRequest
from grader.judges.llm.transport.settings import Endpoint, Mode, TransportSettings
from grader.judges.llm.transport.window import AimdWindow
from grader.judges.llm.transport.wire import Wire, WireReply

_OUTAGES = (ServerErrorFault, ConnectionFault, TimeoutFault)


@dataclass
class EndpointState:
    """What a process knows of one endpoint."""

    endpoint: Endpoint
    circuit: Circuit
    window: AimdWindow
    rates: RateLimits
    tariff: Tariff


@dataclass
class Desk:
    """All that a call works with, within one event loop."""

    settings: TransportSettings
    clock: Clock
    rng: random.Random
    wire: Wire
    ladder: ModeLadder
    gate: BudgetGate
    state: EndpointState
    slots: Slots


class Call:
    """One call at one endpoint.

    Args:
        desk: What it works with.
        request: What to ask.
        key: Its content key.
        flight: Its deadline.
    """

    def __init__(self, desk: Desk, request: CompletionRequest, key: str, flight: Flight) -> None:
        self._desk = desk
        self._request = request
        self._flight = flight
        self._endpoint = desk.state.endpoint
        self._row = new_row(request, self._endpoint, key, desk.clock.date())

    async def run(self) -> CompletionReply:
        """Sends requests until there is a reply, or no hope.

        Raises:
            LlmFault: The last fault, with the number of requests sent.
        """
        retries = Retries(self._desk.settings.retry, self._desk.rng)
        urgent = False
        while True:
            try:
                return await self._attempt(urgent=urgent)
            except ModeRefusedFault as fault:
                self._step_down(fault)
            except RetryableFault as fault:
                fault.attempts = self._flight.requests
                await self._wait(fault, retries)
                urgent = True
            except LlmFault as fault:
                fault.attempts = self._flight.requests
                raise

    def _step_down(self, fault: ModeRefusedFault) -> None:
        if not self._desk.ladder.step_down(self._endpoint, Mode(self._row.mode)):
            refused = BadRequestFault(fault.message, remedy="the endpoint refuses every mode")
            refused.attempts = self._flight.requests
            raise refused from fault

    async def _wait(self, fault: RetryableFault, retries: Retries) -> None:
        delay = retries.delay(fault)
        if delay is None or self._desk.clock.now() + delay >= self._flight.deadline:
            raise fault
        await self._desk.clock.sleep(delay)

    async def _attempt(self, *, urgent: bool) -> CompletionReply:
        desk = self._desk
        self._demand_closed_circuit()
        desk.slots.demand_open_by(self._flight.deadline)
        async with desk.slots.slot(urgent=urgent):
            # It may have opened while this call was waiting for its slot.
            self._demand_closed_circuit()
            scopes = desk.gate.scopes(self._request.tenant, self._request.run, desk.clock.date())
            worst = desk.state.tariff.worst(self._request)
            self._row = self._row.replaced(
                state=CallState.RESERVED, outcome="", mode=self._mode_name(), finished_at=None
            )
            await desk.gate.hold(self._row, scopes, worst)
            return await self._held(scopes, worst)

    async def _held(self, scopes: Sequence[BudgetScope], worst: Amount) -> CompletionReply:
        """Sends with the worst case held; whatever happens, the hold is settled."""
        charge, sent = Amount(), False
        try:
            await self._desk.state.rates.take(self._request.likely_tokens)
            self._admit()
            sent = True
            reply = await self._send()
            charge = self._finish(reply, worst)
        except LlmFault as fault:
            charge = worst if sent and fault.maybe_billed else Amount()
            self._fail(fault.cause)
            raise
        except BaseException:
            charge = worst if sent else Amount()
            self._desk.state.circuit.abandoned()
            self._fail(Cause.CANCELLED)
            raise
        finally:
            self._row = self._row.replaced(
                charged=self._row.charged + charge, finished_at=self._desk.clock.date()
            )
            await self._desk.gate.settle(self._row, scopes, worst, charge)
        return reply_of(self._row, self._request, attempts=self._flight.requests)

    async def _send(self) -> WireReply:
        """One request; tells window and circuit how it went."""
        desk, state = self._desk, self._desk.state
        launched = desk.clock.now()
        self._flight.requests += 1
        self._row = self._row.replaced(attempts=self._row.attempts + 1)
        try:
            reply = await self._sent_in_time(launched)
        except RateLimitedFault as fault:
            state.circuit.succeeded()
            state.window.throttled(desk.clock.now(), launched, desk.slots.in_flight)
            if fault.retry_after is not None:
                desk.slots.pause(fault.retry_after)
            raise
        except _OUTAGES:
            state.circuit.failed(desk.clock.now())
            raise
        except ModeRefusedFault:
            # It may come as a 500; it says nothing about whether the endpoint is up.
            state.circuit.abandoned()
            raise
        except LlmFault:
            state.circuit.succeeded()
            raise
        state.circuit.succeeded()
        state.window.succeeded(desk.clock.now(), desk.slots.in_flight)
        return reply

    async def _sent_in_time(self, launched: float) -> WireReply:
        body = {**render(self._request, Mode(self._row.mode or Mode.FENCE)), **self._request.params}
        limit = min(self._desk.settings.attempt_timeout_s, self._flight.deadline - launched)
        try:
            async with asyncio.timeout(limit):
                return await self._desk.wire.send(
                    self._endpoint, body, self._request.max_output_tokens, limit
                )
        except TimeoutError:
            raise TimeoutFault(f"no whole reply within {limit:g} s") from None

    def _finish(self, reply: WireReply, worst: Amount) -> Amount:
        tariff = self._desk.state.tariff
        cost, source = tariff.cost(reply.usage, reply.cost_usd)
        counted = reply.usage.total > 0
        tariff.learn(worst, cost)
        if counted:
            self._desk.state.rates.correct(reply.usage.total - self._request.likely_tokens)
        self._row = self._row.replaced(
            state=CallState.DONE,
            outcome=outcome_of(self._request, reply),
            usage=reply.usage,
            cost_nano_usd=cost,
            cost_source=source,
            reply=reply_text(reply),
        )
        # A provider that counts no tokens may still bill them.
        tokens = reply.usage.total if counted else worst.tokens
        return Amount(nano_usd=worst.nano_usd if cost is None else cost, tokens=tokens)

    def _fail(self, cause: Cause) -> None:
        self._row = self._row.replaced(state=CallState.FAILED, outcome=cause.value)

    def _mode_name(self) -> str:
        if self._request.schema is None:
            return ""
        return self._desk.ladder.mode(self._endpoint).value

    def _demand_closed_circuit(self) -> None:
        if self._desk.state.circuit.blocks(self._desk.clock.now()):
            raise self._circuit_open()

    def _admit(self) -> None:
        if not self._desk.state.circuit.admit(self._desk.clock.now()):
            raise self._circuit_open()

    def _circuit_open(self) -> CircuitOpenFault:
        return CircuitOpenFault(f"{self._endpoint.model} is down and not asked for now")
