"""Risk-controlled release: thresholds that keep their promise, or that there is none yet."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from grader.coaching.binomial import trials_needed, upper_bound
from grader.coaching.calibration import (
    THRESHOLDS,
    AuditedVerdict,
    fit_bound,
    fit_release,
    is_audited,
)
from grader.domain.verdict import Outcome
from grader.judges.release import ReleasePolicy


def row(confidence, wrong=False, *, judge="llm-1:m", signal="s1"):
    label = Outcome.NOT_MET if wrong else Outcome.MET
    return AuditedVerdict(judge, "q", signal, Outcome.MET, confidence, label)


@given(st.integers(1, 3000), st.data(), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_bound_is_the_beta_quantile(n, data, assurance):
    errors = data.draw(st.integers(0, min(n - 1, 60)))
    expected = beta.ppf(assurance, errors + 1, n - errors)
    assert upper_bound(errors, n, assurance) == pytest.approx(expected, abs=1e-9)


def test_bounds_at_the_edges():
    assert upper_bound(0, 10, 0.95) == pytest.approx(0.2589, abs=1e-4)
    assert upper_bound(0, 0, 0.95) == 1
    assert upper_bound(5, 5, 0.95) == 1
    assert trials_needed(0.05, 0.95) == 59
    assert trials_needed(0.10, 0.95) == 29
    with pytest.raises(ValueError, match="3 errors in 2 trials"):
        upper_bound(3, 2, 0.95)


def test_too_few_labels_give_no_bound_and_say_how_many_are_needed():
    bound = fit_bound([row(0.99)] * 12, 0.10, 0.95)
    assert bound.threshold is None
    assert bound.told == "no bound yet, 12 of 29"


def test_the_loosest_threshold_that_keeps_the_bound_is_taken():
    sure, unsure = [row(0.97)] * 60, [row(0.72, wrong=i % 3 == 0) for i in range(60)]
    bound = fit_bound([*sure, *unsure], 0.10, 0.95)
    assert bound.threshold == 0.75
    assert (bound.released, bound.errors) == (60, 0)
    assert bound.error_bound <= 0.10


def test_the_order_stops_at_the_first_failure_whatever_comes_after():
    bad, good = [row(0.99, wrong=i < 20) for i in range(40)], [row(0.6)] * 2000
    assert fit_bound([*bad, *good], 0.10, 0.95).threshold is None


def test_judges_are_pooled_and_a_signal_has_its_own_bound_only_from_60_labels():
    rows = [row(0.99, signal="s1")] * 60 + [row(0.99, signal="s2", wrong=True)] * 59
    policy = fit_release(rows + [row(0.99, judge="offline-1")] * 40)
    assert set(policy.judges) == {"llm-1:m", "offline-1"}
    assert set(policy.signals) == {"llm-1:m q/s1"}
    assert policy.judges["llm-1:m"].threshold is None
    assert policy.releases("llm-1:m", "q", "s1", 0.99)
    assert not policy.releases("llm-1:m", "q", "s2", 0.99)
    assert not policy.releases("another", "q", "s1", 1.0)


def test_a_signal_that_is_often_wrong_is_not_released_by_its_judge():
    rows = [row(0.99, signal="s1", wrong=i % 2 == 0) for i in range(60)]
    rows += [row(0.99, signal="s2")] * 1500
    policy = fit_release(rows)
    assert policy.releases("llm-1:m", "q", "s2", 0.99)
    assert not policy.releases("llm-1:m", "q", "s1", 0.99)


def test_the_promise_is_kept_in_nineteen_of_twenty_worlds():
    # Every verdict is wrong with 11 %: above the bound, so any release is a broken promise.
    rng = random.Random(5)
    broken = 0
    for _ in range(400):
        rows = [
            row(rng.choice(THRESHOLDS), wrong=rng.random() < 0.11)
            for _ in range(rng.choice((60, 120, 240)))
        ]
        broken += fit_bound(rows, 0.10, 0.95).threshold is not None
    assert broken / 400 <= 0.07


def test_a_policy_survives_its_file():
    policy = fit_release([row(0.99)] * 40)
    assert ReleasePolicy.model_validate_json(policy.model_dump_json()) == policy


def test_the_audit_is_random_stable_and_of_the_size_asked_for():
    keys = [("q", f"a{i}", f"s{j}") for i in range(1000) for j in range(5)]
    drawn = [k for k in keys if is_audited(k, 0.05, b"secret")]
    assert 200 <= len(drawn) <= 300
    assert drawn == [k for k in keys if is_audited(k, 0.05, b"secret")]
    assert drawn != [k for k in keys if is_audited(k, 0.05, b"another")]
    assert not any(is_audited(k, 0, b"secret") for k in keys)
    assert all(is_audited(k, 1, b"secret") for k in keys[:100])
