"""Retries are bounded, never sooner than asked, and spread by jitter."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judges.llm.transport import (
    ConnectionFault,
    RateLimitedFault,
    RetryableFault,
    RetryPolicy,
    ServerErrorFault,
    TimeoutFault,
)
from grader.judges.llm.transport.backoff import Retries

FAULTS = st.sampled_from(["rate", "server", "connection", "timeout"])


def fault(kind: str) -> RetryableFault:
    if kind == "rate":
        return RateLimitedFault("busy")
    kinds = {"server": ServerErrorFault, "connection": ConnectionFault, "timeout": TimeoutFault}
    return kinds[kind]("down")


@given(st.lists(FAULTS, min_size=30, max_size=30), st.integers(0, 5), st.integers(0, 5))
def test_the_number_of_requests_is_bounded(kinds: list[str], faults: int, limits: int) -> None:
    policy = RetryPolicy(faults=faults, rate_limits=limits)
    retries = Retries(policy, random.Random(0))
    sent = 1
    for kind in kinds:
        if retries.delay(fault(kind)) is None:
            break
        sent += 1
    assert sent <= 1 + faults + limits


@given(st.floats(0, 1000), st.integers())
def test_never_sooner_than_the_provider_asked(asked: float, seed: int) -> None:
    retries = Retries(RetryPolicy(), random.Random(seed))
    delay = retries.delay(RateLimitedFault("busy", retry_after=asked))
    assert delay is not None
    assert asked <= delay <= asked * 1.1 + 0.01


@given(st.integers())
def test_delays_grow_within_their_bounds(seed: int) -> None:
    policy = RetryPolicy(faults=8, base_s=0.5, most_s=4)
    retries = Retries(policy, random.Random(seed))
    for turn in range(8):
        delay = retries.delay(ServerErrorFault("down"))
        longest = min(4, 0.5 * 2**turn)
        assert delay is not None
        assert longest / 2 <= delay <= longest


@pytest.mark.parametrize("timeouts", [0, 1, 2])
def test_time_outs_have_a_bound_of_their_own(timeouts: int) -> None:
    retries = Retries(RetryPolicy(faults=5, timeouts=timeouts), random.Random(0))
    delays = [retries.delay(TimeoutFault("slow")) for _ in range(timeouts + 1)]
    assert [delay is None for delay in delays] == [False] * timeouts + [True]
