"""The first answer of a question goes out first, so that the rest find its prefix in the cache."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

_STALE_S = 240.0
"""Providers keep an unused prefix for about five minutes; after that one leads again."""


class LeaderGate:
    """Lets one caller of a key through and holds the others until the prefix is warm.

    A prefix is warm when the leader has its reply. A reply that takes long is warm before that:
    providers keep the prefix as soon as they have read it, so nobody waits longer than
    ``lead_s``.

    Args:
        lead_s: Longest wait in seconds; 0 for no gate.
    """

    def __init__(self, lead_s: float) -> None:
        self._lead_s = lead_s
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Lead]] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def turn(self, key: int, room: asyncio.Semaphore) -> AsyncIterator[None]:
        """Holds a place in the room for the block, after the leader of ``key`` has set out.

        The end of a leader's block opens the gate. Nobody waits for the gate inside the room.
        """
        loop = asyncio.get_running_loop()
        leads = self._loops.setdefault(loop, {})
        lead = leads.get(key)
        if lead is None or loop.time() - lead.used > _STALE_S:
            lead = leads[key] = _Lead(loop.time())
            try:
                async with room:
                    lead.set_out()
                    yield
            finally:
                lead.end()
            return
        await lead.wait(self._lead_s)
        async with room:
            lead.used = loop.time()
            yield


class _Lead:
    def __init__(self, now: float) -> None:
        self.used = now
        self._left_at = now
        self._on_the_way = asyncio.Event()
        self._back = asyncio.Event()

    def set_out(self) -> None:
        self._left_at = asyncio.get_running_loop().time()
        self._on_the_way.set()

    def end(self) -> None:
        self._on_the_way.set()
        self._back.set()

    async def wait(self, lead_s: float) -> None:
        if not lead_s:
            return
        await self._on_the_way.wait()
        left = self._left_at + lead_s - asyncio.get_running_loop().time()
        if self._back.is_set() or left <= 0:
            return
        try:
            async with asyncio.timeout(left):
                await self._back.wait()
        except TimeoutError:
            return
