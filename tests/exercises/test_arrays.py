import numpy as np
import pytest

from grader.exercises.arrays import Array, filled, given, normal, whole


@pytest.mark.parametrize(
    "array",
    [
        normal((3, 2), 7),
        normal((0, 4), 7, "float16"),
        normal((2,), 1, "float64", scale=0.25),
        whole((4, 2), 3, -5, 5),
        filled((2, 2), -0.5, "float16"),
        filled((1,), float("1e9")),
        given(np.array([[1.5, np.inf], [-np.inf, 0.0]], "float32")),
        given(np.array([True, False])),
        given(np.zeros((0, 3), "float64")),
    ],
)
def test_the_code_makes_the_very_values(array: Array):
    shown = eval(array.code, {"np": np})
    assert shown.dtype == array.values.dtype
    assert np.array_equal(shown, array.values)


def test_values_are_shared_and_cannot_be_written():
    array = normal((2,), 1)
    assert array.values is array.values
    with pytest.raises(ValueError, match="read-only"):
        array.values[0] = 1


def test_another_layout_keeps_the_values():
    array = normal((2, 3), 1)
    laid = array.laid("reversed", readonly=True, into="k")
    assert (laid.layout, laid.readonly, laid.into) == ("reversed", True, "k")
    assert np.array_equal(laid.values, array.values)
