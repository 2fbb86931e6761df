"""The token bucket keeps its rate whatever the order of requests."""

from hypothesis import given
from hypothesis import strategies as st

from grader.judges.llm.transport.bucket import TokenBucket


@given(
    per_minute=st.integers(1, 600),
    asks=st.lists(st.tuples(st.floats(0, 20), st.integers(1, 50)), max_size=60),
)
def test_no_window_takes_more_than_burst_and_rate(
    per_minute: int, asks: list[tuple[float, int]]
) -> None:
    bucket = TokenBucket(per_minute)
    taken: list[tuple[float, int]] = []
    now = 0.0
    for gap, asked in asks:
        now += gap
        units = min(asked, per_minute)
        if bucket.take(now, units) == 0.0:
            taken.append((now, units))
    for start, _ in taken:
        for end, _ in taken:
            if end >= start:
                inside = sum(units for at, units in taken if start <= at <= end)
                assert inside <= per_minute * (1 + (end - start) / 60) + 1e-6


@given(per_minute=st.integers(1, 600), units=st.integers(1, 2000), turns=st.integers(1, 20))
def test_waiting_as_long_as_told_is_enough(per_minute: int, units: int, turns: int) -> None:
    bucket = TokenBucket(per_minute)
    now = 0.0
    for _ in range(turns):
        wait = bucket.take(now, units)
        if wait:
            now += wait
            assert bucket.take(now, units) == 0.0


def test_a_request_above_the_capacity_goes_out_alone_and_leaves_a_debt() -> None:
    bucket = TokenBucket(60)
    assert bucket.take(0.0, 120) == 0.0
    assert bucket.take(0.0, 1) == 61.0
    assert bucket.take(61.0, 1) == 0.0


def test_a_correction_gives_back_no_more_than_fits() -> None:
    bucket = TokenBucket(60)
    assert bucket.take(0.0, 50) == 0.0
    bucket.correct(-1000)
    assert bucket.take(0.0, 60) == 0.0
    assert bucket.take(0.0, 1) > 0


def test_a_share_bounds_the_burst_and_not_the_rate() -> None:
    bucket = TokenBucket(60, share=1 / 6)
    assert sum(bucket.take(0.0, 1) == 0.0 for _ in range(60)) == 10
    assert bucket.take(5.0, 5) == 0.0
