"""The window of requests in flight: bounded, halved once a round, growing slowly."""

from hypothesis import given
from hypothesis import strategies as st

from grader.judges.llm.transport import Concurrency
from grader.judges.llm.transport.window import AimdWindow

POLICY = Concurrency(start=8, most=32, settle_s=1 / 64, ramp_s=1 / 64)


def settled(width: int) -> AimdWindow:
    """A window that has met a limit and stands at ``width``."""
    window = AimdWindow(Concurrency(start=32, most=32))
    window.throttled(0.0, 0.0, in_flight=2 * width)
    return window


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2), st.floats(0, 3)), max_size=200))
def test_the_width_stays_between_one_and_the_maximum(
    events: list[tuple[bool, float, float]],
) -> None:
    window = AimdWindow(POLICY)
    now = 0.0
    for good, gap, age in events:
        now += gap
        width = window.width(now)
        assert 1 <= width <= POLICY.most
        if good:
            window.succeeded(now, width)
        else:
            window.throttled(now, now - age, width)
            assert window.width(now) <= width


def test_an_endpoint_without_a_limit_is_at_full_width_after_the_ramp() -> None:
    window = AimdWindow(POLICY)
    times = [5.0 + step / 64 for step in range(26)]
    assert [window.width(t) for t in times] == [8, *range(8, 33)]
    assert not window.ramping


def test_a_loop_that_was_busy_does_not_make_up_for_it_with_a_burst() -> None:
    window = AimdWindow(POLICY)
    assert [window.width(t) for t in (5.0, 6.0, 6.0, 7.0)] == [8, 9, 9, 10]


def test_a_429_halves_what_was_in_flight_and_ends_the_ramp() -> None:
    window = AimdWindow(POLICY)
    for step in range(6):
        window.width(step / 64)
    window.throttled(0.125, 0.1, in_flight=12)
    assert window.width(0.125) == window.width(9.0) == 6


def test_the_429s_of_one_round_count_once() -> None:
    window = settled(16)
    for launched in (1.0, 1.1, 1.2):
        window.throttled(2.0, launched, in_flight=16)
    assert window.width(2.0) == 8
    window.throttled(3.0, 2.5, in_flight=8)
    assert window.width(3.0) == 4


def test_the_refusals_of_a_round_show_how_many_requests_were_taken() -> None:
    window = AimdWindow(Concurrency(start=32, most=32))
    for in_flight in range(32, 8, -1):
        window.throttled(1.0, 0.0, in_flight)
    assert window.width(1.0) == 4


def test_growth_is_one_a_round_and_only_where_the_width_is_used() -> None:
    window = settled(4)
    for _ in range(4):
        window.succeeded(1.0, in_flight=4)
    assert window.width(1.0) == 4
    window.succeeded(1.0, in_flight=4)
    assert window.width(1.0) == 5
    for _ in range(50):
        window.succeeded(1.0, in_flight=1)
    assert window.width(1.0) == 5


def test_beyond_a_limit_once_met_growth_is_slower() -> None:
    window = settled(4)
    rounds = []
    for target in (5, 6, 7, 8):
        successes = 0
        while window.width(1.0) < target:
            window.succeeded(1.0, in_flight=window.width(1.0))
            successes += 1
        rounds.append(successes / (target - 1))
    assert max(rounds[:3]) <= 1.5
    assert rounds[3] >= 7
