"""Single flight: equal calls at the same time are one call with several waiters."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

from grader.judges.llm.transport.clock import Clock
from grader.judges.llm.transport.faults import TimeoutFault
from grader.judges.llm.transport.request import CompletionReply


@dataclass
class Flight:
    """One call under way.

    Attributes:
        deadline: The latest of its waiters', on the monotonic clock.
        waiters: Those who want the reply; without any the call is cancelled.
        requests: Sent so far, to whatever endpoint.
    """

    deadline: float
    requests: int = 0
    waiters: int = 0
    task: "asyncio.Task[CompletionReply] | None" = None


class Flights:
    """Calls under way by content key; one an event loop.

    Args:
        clock: Time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._flights: dict[str, Flight] = {}

    async def join(
        self,
        key: str,
        deadline_s: float,
        start: Callable[[Flight], Coroutine[None, None, CompletionReply]],
    ) -> CompletionReply:
        """Waits for the call of ``key``, started here unless it is under way.

        Raises:
            TimeoutFault: ``deadline_s`` has passed; the call is given up unless others wait.
            LlmFault: What the call raised.
        """
        flight = self._flight(key, self._clock.now() + deadline_s, start)
        assert flight.task is not None
        flight.waiters += 1
        try:
            async with asyncio.timeout(deadline_s):
                return await asyncio.shield(flight.task)
        except TimeoutError:
            late = TimeoutFault(f"no reply within the deadline of {deadline_s:g} s")
            late.attempts = flight.requests
            raise late from None
        finally:
            flight.waiters -= 1
            if not flight.waiters:
                await self._land(key, flight)

    def _flight(
        self,
        key: str,
        deadline: float,
        start: Callable[[Flight], Coroutine[None, None, CompletionReply]],
    ) -> Flight:
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = Flight(deadline)
            flight.task = asyncio.get_running_loop().create_task(start(flight))
        flight.deadline = max(flight.deadline, deadline)
        return flight

    async def _land(self, key: str, flight: Flight) -> None:
        """Forgets a call without waiters, and sees it out: its row is settled on return."""
        if self._flights.get(key) is flight:
            del self._flights[key]
        task = flight.task
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait([task])
