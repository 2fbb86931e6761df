"""Figures drawn from a seed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.bank.draw import draw_question, drawn_figures, format_figure
from grader.domain.question import Question
from grader.errors import RubricError


def question_of(**changes):
    fields = {
        "id": "a",
        "topic": "t",
        "prompt": "A model of {params_b} B at {rate} TB/s; JSON stays {untouched}.",
        "parameters": {
            "params_b": {"values": [7, 13, 70]},
            "rate": {"range": [1.0, 3.0], "step": 0.5},
        },
        "derived": {"weight_gb": "params_b * 2", "floor_ms": "weight_gb / rate"},
        "answer": {"value": "floor_ms", "unit": "ms"},
        "signals": [
            {
                "id": "s",
                "statement": "The floor is {floor_ms} ms.",
                "weight": 1,
                "kind": "positive",
                "accept": ["about {floor_ms} ms"],
                "numbers": [{"value": "floor_ms", "unit": "ms"}, {"value": 3.5}],
            }
        ],
    }
    return Question.model_validate(fields | changes)


def test_the_default_draw_takes_first_values_and_low_ends():
    drawn = draw_question(question_of())
    assert drawn.prompt == "A model of 7 B at 1 TB/s; JSON stays {untouched}."
    assert drawn.signals[0].statement == "The floor is 14 ms."
    assert [n.value for n in drawn.signals[0].numbers] == [14, 3.5]
    assert drawn.answer is not None
    assert drawn.answer.value == 14


@given(st.integers(0, 2**63))
def test_a_seed_always_draws_the_same_legal_figures(seed):
    figures = drawn_figures(question_of(), seed)
    assert figures == drawn_figures(question_of(), seed)
    assert figures["params_b"] in (7, 13, 70)
    assert figures["rate"] in (1.0, 1.5, 2.0, 2.5, 3.0)
    assert figures["floor_ms"] == figures["params_b"] * 2 / figures["rate"]


def test_every_choice_is_drawn_sooner_or_later():
    drawn = [drawn_figures(question_of(), seed) for seed in range(200)]
    assert {d["params_b"] for d in drawn} == {7, 13, 70}
    assert {d["rate"] for d in drawn} == {1.0, 1.5, 2.0, 2.5, 3.0}


def test_a_question_without_figures_is_left_as_it_is():
    plain = question_of(prompt="p", parameters={}, derived={}, answer=None, signals=[
        {"id": "s", "statement": "x", "weight": 1, "kind": "positive"}])  # fmt: skip
    assert draw_question(plain) is plain


@pytest.mark.parametrize(
    ("derived", "words"),
    [({"y": "nope + 1"}, "unknown name 'nope'"), ({"y": "1 / 0"}, "cannot be computed")],
)
def test_a_broken_expression_names_question_and_field(derived, words):
    with pytest.raises(RubricError, match=words) as caught:
        draw_question(question_of(derived=derived, answer=None, signals=[
            {"id": "s", "statement": "x", "weight": 1, "kind": "positive"}]))  # fmt: skip
    assert "'a'" in str(caught.value)
    assert "derived.y" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(14.0, "14"), (1e6, "1,000,000"), (8192.0, "8192"), (41.791, "41.79"), (0.05, "0.05")],
)
def test_figures_are_written_as_a_person_would(value, text):
    assert format_figure(value) == text
