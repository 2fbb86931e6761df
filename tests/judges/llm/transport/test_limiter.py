"""Slots: never more than the window, none lost, whatever is cancelled, paused or refused."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from grader.judges.llm.transport import Concurrency
from grader.judges.llm.transport.limiter import Slots
from grader.judges.llm.transport.window import AimdWindow
from tests.support.virtual_time import LoopClock, run_virtual

# seconds of work, seconds until it is cancelled (None: never), what it ends with
JOBS = st.lists(
    st.tuples(
        st.floats(0, 5),
        st.none() | st.floats(0, 5),
        st.sampled_from(["ok", "throttled", "paused", "error"]),
        st.booleans(),
    ),
    max_size=40,
)


@given(JOBS, st.integers(1, 8), st.integers(1, 8))
def test_slots_are_bounded_and_all_come_back(
    jobs: list[tuple[float, float | None, str, bool]], start: int, most: int
) -> None:
    async def main() -> None:
        window = AimdWindow(Concurrency(start=start, most=most))
        clock = LoopClock()
        slots = Slots(window, clock)

        async def work(seconds: float, end: str, urgent: bool) -> None:
            launched = clock.now()
            async with slots.slot(urgent=urgent):
                assert slots.in_flight <= most
                await asyncio.sleep(seconds)
                if end == "ok":
                    window.succeeded(clock.now(), slots.in_flight)
                elif end == "throttled":
                    window.throttled(clock.now(), launched, slots.in_flight)
                elif end == "paused":
                    slots.pause(3.0)
                else:
                    raise ValueError(end)

        async def one(job: tuple[float, float | None, str, bool]) -> None:
            seconds, patience, end, urgent = job
            try:
                async with asyncio.timeout(patience):
                    await work(seconds, end, urgent)
            except (TimeoutError, ValueError):
                return

        # A waiter that nobody wakes would stop virtual time with an error.
        await asyncio.gather(*(one(job) for job in jobs))
        assert slots.in_flight == 0
        async with slots.slot():
            assert slots.in_flight == 1

    run_virtual(main())


def test_a_pause_holds_everybody_back() -> None:
    async def main() -> list[float]:
        clock = LoopClock()
        slots = Slots(AimdWindow(Concurrency()), clock)
        slots.pause(5.0)
        started: list[float] = []

        async def one() -> None:
            async with slots.slot():
                started.append(clock.now())

        await asyncio.gather(*(one() for _ in range(4)))
        return started

    assert run_virtual(main()) == [5.0] * 4


def test_the_urgent_go_first_and_the_others_in_order() -> None:
    async def main() -> list[str]:
        slots = Slots(AimdWindow(Concurrency(start=1, most=1)), LoopClock())
        order: list[str] = []

        async def one(name: str, urgent: bool) -> None:
            async with slots.slot(urgent=urgent):
                order.append(name)
                await asyncio.sleep(1)

        jobs = [("first", False), ("second", False), ("third", False), ("retry", True)]
        await asyncio.gather(*(one(*job) for job in jobs))
        return order

    assert run_virtual(main()) == ["first", "retry", "second", "third"]
