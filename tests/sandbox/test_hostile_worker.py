"""Mutated frames, at a small size; `make prove-wire` is the full one."""

from tests.sandbox.hostile import run_trials


def test_mutated_frames_are_protocol_errors_and_nothing_else():
    tally = run_trials(3000, seed=1)
    assert tally.faults == []
    assert tally.counts["protocol_error"] > 2000
    assert tally.counts["accepted"] > 10, "some mutations only change the value"
