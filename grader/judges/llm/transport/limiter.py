"""Slots at one endpoint: the adaptive window, pauses after a 429, and the rate limits.

One object an endpoint and event loop; waiters are futures of that loop.
"""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from grader.judges.llm.transport.bucket import TokenBucket
from grader.judges.llm.transport.clock import Clock
from grader.judges.llm.transport.faults import RateLimitedFault
from grader.judges.llm.transport.settings import Endpoint
from grader.judges.llm.transport.window import AimdWindow

_BURST_SHARE = 1 / 6


class RateLimits:
    """Requests and tokens a minute of one endpoint."""

    def __init__(self, endpoint: Endpoint, clock: Clock) -> None:
        self._clock = clock
        self._requests = _bucket(endpoint.rpm)
        self._tokens = _bucket(endpoint.tpm)

    async def take(self, tokens: int) -> None:
        """Waits until one more request of ``tokens`` tokens fits."""
        await self._take(self._requests, 1)
        await self._take(self._tokens, tokens)

    def correct(self, tokens: int) -> None:
        """Accounts for what the guess of ``take`` missed."""
        if self._tokens is not None:
            self._tokens.correct(tokens)

    async def _take(self, bucket: TokenBucket | None, units: int) -> None:
        while bucket is not None and (wait := bucket.take(self._clock.now(), units)):
            await self._clock.sleep(wait)


class Slots:
    """Hands out slots in order of priority, then of arrival.

    Args:
        window: How many may be out.
        clock: Time.
    """

    def __init__(self, window: AimdWindow, clock: Clock) -> None:
        self._window = window
        self._clock = clock
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._turns = itertools.count()
        self._timer: asyncio.Task[None] | None = None
        self._paused_until = float("-inf")
        self.in_flight = 0

    @asynccontextmanager
    async def slot(self, *, urgent: bool = False) -> AsyncIterator[None]:
        """One slot; freed at the end, also by cancellation. ``urgent`` goes before the others."""
        await self._acquire(urgent)
        try:
            yield
        finally:
            self._release()

    def demand_open_by(self, deadline: float) -> None:
        """Finds out whether waiting makes sense.

        Raises:
            RateLimitedFault: The pause lasts beyond ``deadline``.
        """
        if self._paused_until >= deadline:
            pause = self._paused_until - self._clock.now()
            raise RateLimitedFault("asked to wait beyond the deadline", retry_after=pause)

    def pause(self, seconds: float) -> None:
        """Hands out nothing for a while: the provider asked for it."""
        self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    def grant(self) -> None:
        """Hands out what is free; called whenever something may have become so."""
        now = self._clock.now()
        while self._waiting and now >= self._paused_until:
            if self.in_flight >= self._window.width(now):
                break
            _, _, waiter = heapq.heappop(self._waiting)
            if not waiter.done():
                self.in_flight += 1
                waiter.set_result(None)
        self._keep_time(now)

    async def _acquire(self, urgent: bool) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (0 if urgent else 1, next(self._turns), waiter))
        self.grant()
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        self.in_flight -= 1
        self.grant()

    def _keep_time(self, now: float) -> None:
        """Sees to it that waiters are looked after when time alone will free a slot."""
        if not self._waiting or (self._timer is not None and not self._timer.done()):
            return
        if now < self._paused_until:
            delay = self._paused_until - now
        elif self._window.ramping:
            delay = self._window.ramp_s
        else:
            return
        self._timer = asyncio.get_running_loop().create_task(self._grant_after(delay))

    async def _grant_after(self, delay: float) -> None:
        await self._clock.sleep(delay)
        self._timer = None
        self.grant()


def _bucket(per_minute: int | None) -> TokenBucket | None:
    # Ten seconds' worth may go at once; a whole minute's worth in one burst is what providers
    # that count in shorter windows refuse.
    return TokenBucket(per_minute, _BURST_SHARE) if per_minute is not None else None
