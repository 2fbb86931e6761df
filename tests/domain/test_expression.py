"""The closed arithmetic grammar."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.expression import ExpressionError, parse_expression

NAMES = {"a": 3.0, "b": 0.5, "c": 7.0}


@st.composite
def expression_texts(draw, depth=3):
    if depth == 0 or draw(st.booleans()):
        leaf = st.one_of(st.integers(0, 99).map(str), st.sampled_from(["1.5", "2e3", ".25"]))
        return draw(st.one_of(leaf, st.sampled_from(sorted(NAMES))))
    inner = expression_texts(depth=depth - 1)
    form = draw(st.sampled_from(["{} + {}", "{} - {}", "({}) * ({})", "-({})", "min({}, {})"]))
    return form.format(*(draw(inner) for _ in range(form.count("{}"))))


@given(expression_texts())
def test_values_agree_with_ordinary_arithmetic(text):
    # The reference is Python's own reading, which the product itself never uses.
    expected = eval(text, {"__builtins__": {}, "min": min}, dict(NAMES))
    assert parse_expression(text).evaluate(NAMES) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("10 - 4 - 3", 3),
        ("12 / 3 / 2", 2),
        ("ceil(2.1) + floor(2.9)", 5),
        ("log(8, 2)", 3),
        ("max(1, 2, 3)", 3),
    ],
)
def test_precedence_and_functions(text, value):
    assert parse_expression(text).evaluate({}) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    ["", "1 +", "(1", "1)", "a b", "__import__('os')", "a.b", "a[0]", "f(1)", "1 if a else 2",
     "ceil(1, 2)", "min(1)", "a; b", "lambda: 1", "'x'", "(" * 200 + "1" + ")" * 200, "1" * 2000],
)  # fmt: skip
def test_everything_else_is_refused(text):
    with pytest.raises(ExpressionError):
        parse_expression(text).evaluate(NAMES)


@pytest.mark.parametrize("text", ["1 / 0", "9 ** 9 ** 9", "log(0 - 1)", "(0 - 1) ** 0.5", "nope"])
def test_what_has_no_value_says_so(text):
    with pytest.raises(ExpressionError):
        parse_expression(text).evaluate({})


@given(st.text(max_size=60))
def test_no_text_does_anything_but_parse_or_refuse(text):
    try:
        value = parse_expression(text).evaluate(NAMES)
    except ExpressionError:
        return
    assert math.isfinite(value)
