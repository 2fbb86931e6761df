import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from grader.exercises.choice import Choice, SeededChoice, strategy_of


def _numbers(choice: Choice) -> list[int]:
    found = [choice.integer(2, 9)]
    while choice.boolean(0.5) and len(found) < 9:
        found.append(choice.member((0, 5, 7)))
    return found


@given(st.integers(min_value=0, max_value=2**128))
def test_equal_seeds_make_equal_choices(seed: int):
    assert _numbers(SeededChoice(seed)) == _numbers(SeededChoice(seed))


@given(st.integers(min_value=0, max_value=2**64))
def test_seeded_choices_stay_in_bounds(seed: int):
    first, *rest = _numbers(SeededChoice(seed))
    assert 2 <= first <= 9
    assert set(rest) <= {0, 5, 7}


@given(strategy_of(_numbers))
def test_drawn_choices_stay_in_bounds(numbers: list[int]):
    assert 2 <= numbers[0] <= 9
    assert set(numbers[1:]) <= {0, 5, 7}


def test_drawn_choices_shrink_to_the_simplest():
    quiet = settings(database=None)
    assert find(strategy_of(_numbers), lambda n: len(n) > 1, settings=quiet) == [2, 0]


def test_a_certain_boolean_is_certain_in_both():
    assert all(SeededChoice(i).boolean(1.0) for i in range(50))
    with pytest.raises(NoSuchExample):
        find(
            strategy_of(lambda c: c.boolean(1.0)),
            lambda drawn: not drawn,
            settings=settings(database=None, max_examples=50),
        )
