"""An event loop whose clock jumps over every wait: minutes of back-off pass in no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")
_EPOCH = datetime(2030, 1, 1, tzinfo=UTC)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Where nothing is ready, time jumps to the next timer instead of passing."""

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.virtual = 0.0

    def time(self) -> float:
        return self.virtual


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("every task waits and no timer is set: a deadlock")
        if not ready and timeout is not None and timeout > 0:
            self._loop.virtual += timeout
        return ready


class LoopClock:
    """The transport's clock on the running loop's time."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def date(self) -> datetime:
        return _EPOCH + timedelta(seconds=self.now())

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
