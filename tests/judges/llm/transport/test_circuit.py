"""The circuit opens on an outage, not on a bad day, and closes by a single probe."""

import random

from hypothesis import given
from hypothesis import strategies as st

from grader.judges.llm.transport import CircuitPolicy
from grader.judges.llm.transport.circuit import Circuit

POLICY = CircuitPolicy()


def opened() -> Circuit:
    circuit = Circuit(POLICY)
    for _ in range(POLICY.failures):
        circuit.failed(0.0)
    return circuit


def test_many_failures_at_once_open_it() -> None:
    circuit = Circuit(POLICY)
    for number in range(1, POLICY.failures + 1):
        assert circuit.admit(0.1)
        circuit.failed(0.1)
        assert circuit.is_open is (number == POLICY.failures)


def test_the_three_tries_of_a_lone_caller_open_it_within_three_seconds() -> None:
    circuit = Circuit(POLICY)
    for at in (0.0, 0.5, 1.5):
        circuit.failed(at)
    assert circuit.is_open


def test_a_success_in_between_starts_the_count_anew() -> None:
    circuit = Circuit(POLICY)
    for at in range(50):
        circuit.failed(float(at))
        circuit.failed(float(at))
        circuit.succeeded()
    assert not circuit.is_open


def test_one_probe_goes_through_after_the_cooldown_and_decides() -> None:
    circuit = opened()
    assert not circuit.admit(POLICY.cooldown_s - 0.1)
    assert circuit.admit(POLICY.cooldown_s)
    assert not circuit.admit(POLICY.cooldown_s)
    circuit.failed(POLICY.cooldown_s)
    assert not circuit.admit(POLICY.cooldown_s + 2 * POLICY.cooldown_s - 0.1)
    assert circuit.admit(POLICY.cooldown_s + 2 * POLICY.cooldown_s)
    circuit.succeeded()
    assert not circuit.is_open
    assert circuit.admit(0.0)


def test_an_abandoned_probe_leaves_the_way_free_for_the_next() -> None:
    circuit = opened()
    assert circuit.admit(10.0)
    circuit.abandoned()
    assert circuit.admit(10.0)


@given(st.lists(st.sampled_from(["failed", "succeeded", "abandoned", "admit"]), max_size=80))
def test_it_never_admits_two_probes_and_always_recovers(steps: list[str]) -> None:
    circuit = Circuit(POLICY)
    now = 0.0
    for step in steps:
        now += 1.0
        if step == "admit":
            if circuit.admit(now) and circuit.is_open:
                assert not circuit.admit(now)
        elif step == "failed":
            circuit.failed(now)
        else:
            getattr(circuit, step)()
    circuit.abandoned()
    assert circuit.admit(now + POLICY.most_cooldown_s)


def test_three_requests_in_ten_failing_at_thirty_two_in_flight_is_no_outage() -> None:
    rng = random.Random(7)
    circuit = Circuit(POLICY)
    for request in range(2000):
        if rng.random() < 0.3:
            circuit.failed(request * 1.1 / 32)
        else:
            circuit.succeeded()
        assert not circuit.is_open
