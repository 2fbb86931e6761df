"""Figures with units, as written and as spoken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.question import Number
from grader.judges.offline.numbers import expected, matches, quantities


def states(text, value, unit="", tolerance=0.02):
    wanted = expected(Number(value=value, unit=unit, tolerance=tolerance))
    return any(matches(q, wanted, tolerance) for q in quantities(text))


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("it needs 16GiB", 16, "GB"),
        ("16 GB of weights", 16, "GiB"),
        ("3.35 TB/s", 3350, "GB/s"),
        ("three point three five terabytes per second", 3.35, "TB/s"),
        ("3.35e12 bytes per second", 3.35, "TB/s"),
        ("50 %", 50, "percent"),
        ("roughly half", 50, "%"),
        ("2^10 tokens", 1024, "tokens"),
        ("10**9 parameters", 1e9, "parameters"),
        ("1.3 x 10^9", 1.3e9, ""),
        ("a 70B model", 70e9, "parameters"),
        ("an 8k context", 8192, "tokens"),
        ("4,800 µs", 4.8, "ms"),
        ("four point eight milliseconds", 4.8, "ms"),
        ("990 TFLOPS", 989, "TFLOP/s"),
        ("295 FLOP/byte", 295, "FLOP/byte"),
        ("2.8x faster", 2.8, "x"),
        ("2.8 times faster", 2.8, "x"),
        ("one hundred and forty gigabytes", 140, "GB"),
        ("twenty-two replicas", 22, ""),
        ("512 tok/s", 512, "tokens/s"),
        ("a rate of .8", 0.8, ""),
    ],
)
def test_ways_to_say_a_figure(text, value, unit):
    assert states(text, value, unit)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("5 ms", 5, "s"),
        ("16 tokens", 16, "blocks"),
        ("160 GB", 16, "GB"),
        ("version v16", 16, ""),
        ("1.62", 1.5, ""),
        ("no figure at all", 0, ""),
        ("twelve", 22, ""),
    ],
)
def test_figures_that_are_others(text, value, unit):
    assert not states(text, value, unit)


def test_the_tolerance_is_relative():
    assert states("102 ms", 100, "ms", tolerance=0.02)
    assert not states("103 ms", 100, "ms", tolerance=0.02)
    assert states("110 ms", 100, "ms", tolerance=0.1)


def test_an_expression_is_no_figure_yet():
    assert expected(Number(value="2 * params", unit="GB")) is None


@given(st.text(alphabet="0123456789.,eE+-^*x %kKgGbB hundred point", max_size=80))
def test_any_text_is_read_without_a_fault_and_places_are_in_order(text):
    found = quantities(text)
    assert [q.start for q in found] == sorted(q.start for q in found)
    for quantity in found:
        assert 0 <= quantity.start < quantity.end <= len(text)


@given(st.integers(1, 10**6), st.sampled_from(["ms", "GB", "tokens", "%", ""]))
def test_a_figure_matches_itself(value, unit):
    assert states(f"about {value} {unit} here", value, unit)
