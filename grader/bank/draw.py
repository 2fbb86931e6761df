"""Drawing the figures of a calculation question from a seed."""

import random
import re
from collections.abc import Mapping
from typing import Any

from grader.bank.identity_cache import IdentityCache
from grader.domain.expression import ExpressionError, parse_expression
from grader.domain.question import Parameter, Question
from grader.errors import RubricError

_drawn_questions: IdentityCache[Question, Question] = IdentityCache()
_PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


def draw_question(question: Question, seed: int | None = None) -> Question:
    """The question with every figure filled in.

    Args:
        question: As it stands in the bank.
        seed: Seed of the draw; None gives the default draw (first value, low end).

    Returns:
        A question without parameters; the same object where there is nothing to draw.

    Raises:
        RubricError: An expression cannot be computed, or a text uses an unknown name.
    """
    if not question.parameters and not question.derived:
        return question
    return _drawn_questions.get(question, seed, lambda: _drawn_question(question, seed))


def _drawn_question(question: Question, seed: int | None) -> Question:
    figures = drawn_figures(question, seed)
    fields = question.model_dump(mode="json", by_alias=True, exclude={"parameters", "derived"})
    try:
        filled = {key: _filled(value, figures) for key, value in fields.items()}
        for holder in (*_numbers(filled), *([filled["answer"]] if filled["answer"] else [])):
            holder["value"] = _computed(holder["value"], figures)
    except ExpressionError as error:
        raise RubricError(
            f"question {question.id!r}: {error}",
            remedy="use parameters, derived names and + - * / ** ceil floor log min max",
        ) from error
    return Question.model_validate(filled)


def drawn_figures(question: Question, seed: int | None = None) -> dict[str, float]:
    """The values of all parameters and derived names under a seed.

    Raises:
        RubricError: A derived expression cannot be computed from what stands above it.
    """
    source = None if seed is None else random.Random(seed)
    figures = {name: _drawn(p, source) for name, p in question.parameters.items()}
    for name, text in question.derived.items():
        try:
            figures[name] = parse_expression(text).evaluate(figures)
        except ExpressionError as error:
            raise RubricError(
                f"question {question.id!r}: derived.{name}: {error}",
                remedy="derive a name only from parameters and names above it",
            ) from error
    return figures


def format_figure(value: float) -> str:
    """A figure as a person writes it: whole where it is whole, else four significant digits.

    Thousands are set apart from five digits on.
    """
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}" if abs(value) >= 10_000 else str(int(value))
    return f"{value:.4g}"


def _drawn(parameter: Parameter, source: random.Random | None) -> float:
    choices = _choices(parameter)
    if source is None:
        return choices[0]
    # random() is the one method whose sequence Python promises to keep for a seed.
    return choices[int(source.random() * len(choices))]


def _choices(parameter: Parameter) -> tuple[float, ...]:
    if parameter.range is None:
        return parameter.values
    low, high = parameter.range
    step = parameter.step or (high - low) / 100
    count = int((high - low) / step * (1 + 1e-9)) + 1
    return tuple(round(low + k * step, 12) for k in range(count))


def _filled(value: Any, figures: Mapping[str, float]) -> Any:
    if isinstance(value, str):
        return _PLACE.sub(lambda m: _shown(m, figures), value)
    if isinstance(value, list):
        return [_filled(item, figures) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, figures) for key, item in value.items()}
    return value


def _shown(match: re.Match[str], figures: Mapping[str, float]) -> str:
    name = match.group(1)
    return format_figure(figures[name]) if name in figures else match.group(0)


def _numbers(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [number for signal in fields["signals"] for number in signal["numbers"]]


def _computed(value: float | str, figures: Mapping[str, float]) -> float:
    return value if isinstance(value, int | float) else parse_expression(value).evaluate(figures)
