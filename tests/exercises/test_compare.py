from typing import Any

import numpy as np
import pytest

from grader.exercises.compare import (
    CLOSE32,
    array_mismatch,
    described,
    error_mismatch,
    same,
    shown,
    value_mismatch,
)
from sandbox.observation import Kind, Observation, Raised


def _value(value: Any) -> Observation:
    return Observation(Kind.VALUE, value)


def _raised(*ancestry: str) -> Observation:
    error = Raised(ancestry[0].rsplit(".", 1)[-1], ancestry, "no", ())
    return Observation(Kind.RAISED, raised=error)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, 1),
        (1, True),
        (1, 1.0),
        (np.int64(1), 1),
        ((1, 2), [1, 2]),
        ([1, 2.0], [1, 2]),
        ({"a": 1.0}, {"a": 1}),
        ({1: "x"}, {True: "x"}),
        (float("nan"), float("nan")),
        (None, []),
        ([1], [1, 2]),
    ],
)
def test_look_alikes_are_not_the_same(value: Any, expected: Any):
    assert not same(value, expected)
    assert value_mismatch(_value(value), expected) is not None


@pytest.mark.parametrize("value", [None, 0, -1.5, "a", [1, (2, None)], {"a": [True]}, float("inf")])
def test_a_plain_value_is_the_same_as_itself(value: Any):
    assert value_mismatch(_value(value), value) is None


REFERENCE = np.array([[1.0, 100.0], [np.inf, -np.inf]])


def test_an_array_within_tolerance_passes():
    near = (REFERENCE * (1 + 1e-4)).astype("float32")
    assert array_mismatch(_value(near), REFERENCE, CLOSE32, "float32") is None


@pytest.mark.parametrize(
    "got",
    [
        (REFERENCE * (1 + 5e-4)).astype("float32"),
        REFERENCE.astype("float64"),
        REFERENCE.astype("float32").ravel(),
        np.where(np.isinf(REFERENCE), np.nan, REFERENCE).astype("float32"),
        -REFERENCE.astype("float32"),
        np.nan_to_num(REFERENCE, posinf=3e38, neginf=-3e38).astype("float32"),
        REFERENCE.tolist(),
        None,
    ],
)
def test_other_values_dtypes_shapes_and_infinities_do_not(got: Any):
    assert array_mismatch(_value(got), REFERENCE, CLOSE32, "float32") is not None


def test_nan_in_the_reference_matches_nothing():
    nan = np.array([np.nan])
    assert array_mismatch(_value(nan.astype("float32")), nan, CLOSE32, "float32") is not None


def test_a_subclass_of_the_demanded_error_is_accepted():
    seen = _raised("submission.Bad", "builtins.KeyError", "builtins.LookupError")
    assert error_mismatch(seen, "KeyError") is None
    assert error_mismatch(seen, "ValueError") is not None
    assert error_mismatch(seen, "ValueError", "KeyError") is None


def test_an_error_class_of_the_file_must_not_be_a_built_in_one():
    own = _raised("submission.Full", "builtins.Exception")
    disguised = _raised("submission.Full", "builtins.ValueError", "builtins.Exception")
    foreign = _raised("other.numpy.Full", "builtins.Exception")
    assert error_mismatch(own, "Full") is None
    assert error_mismatch(disguised, "Full") is not None
    assert error_mismatch(foreign, "Full") is not None


def test_a_value_where_an_error_is_due_is_a_mismatch():
    wrong = error_mismatch(_value(3), "ValueError", "KeyError")
    assert wrong is not None
    assert (wrong.expected, wrong.got) == ("raises ValueError or KeyError", "3")


def test_hostile_values_are_shown_on_one_short_line_without_control_characters():
    for value in (10**4900, [10**4900], "\x1b[2J\n" * 9000, "\u202e", {"a": [None] * 9000}):
        line = shown(value)
        assert len(line) <= 160
        assert line.isprintable()
    seen = _raised("submission.E", "builtins.Exception")
    error = Raised("\x1b[31m", seen.raised.ancestry, "a\nb\x07", ())
    assert described(Observation(Kind.RAISED, raised=error)).isprintable()
