"""Every figure a calculation question shows equals an independent computation."""

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from grader.bank.draw import draw_question, drawn_figures
from grader.bank.load import load_bank
from grader.domain.expression import parse_expression
from grader.domain.question import Question
from grader.settings import shipped_bank
from tests.bank.calculations.exact import all_fixed_figures, all_solutions

DRAWS = 1000
REL_TOL = 1e-9
# A fixed figure is written with two or three digits.
WRITTEN_TOL = 0.01
PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")

SOLUTIONS = all_solutions()
FIXED = all_fixed_figures()
QUESTIONS = {f.question.id: f.question for f in load_bank(shipped_bank())}
VARIED = {i: q for i, q in QUESTIONS.items() if q.parameters or q.derived}


def shown_figures(question: Question) -> set[str]:
    """Derived names that a text shows, and expressions that a number rests on."""
    fields = question.model_dump_json(exclude={"parameters", "derived"})
    numbers = {n.value for s in question.signals for n in s.numbers if isinstance(n.value, str)}
    shown = {name for name in PLACE.findall(fields) if name in question.derived}
    return (shown | numbers) - set(question.parameters)


def distinct_draws(question: Question) -> Iterator[tuple[int, dict[str, float]]]:
    """One seed and its figures for every combination that the seeds give."""
    seen: set[tuple[float, ...]] = set()
    for seed in range(DRAWS):
        figures = drawn_figures(question, seed)
        key = tuple(figures[name] for name in question.parameters)
        if key not in seen:
            seen.add(key)
            yield seed, figures


def test_every_varied_question_has_a_solution_and_every_solution_a_question():
    assert sorted(SOLUTIONS) == sorted(VARIED)


@pytest.mark.parametrize("question_id", sorted(VARIED))
def test_the_figures_equal_an_independent_computation(question_id):
    question = VARIED[question_id]
    wanted = shown_figures(question)
    for seed, figures in distinct_draws(question):
        parameters = {name: Fraction(str(figures[name])) for name in question.parameters}
        own = {k: float(v) for k, v in SOLUTIONS[question_id](**parameters).items()}
        bank = {name: parse_expression(name).evaluate(figures) for name in wanted}
        if question.answer is not None:
            bank["answer"] = draw_question(question, seed).answer.value
        assert wanted <= set(own), f"no own figure for {sorted(wanted - set(own))}"
        ours = {name: own[name] for name in bank}
        assert bank == pytest.approx(ours, rel=REL_TOL), f"seed {seed}: {parameters}"


def fixed_figures(question: Question) -> dict[str, list[float]]:
    """Numbers of signals, and the answer, that are written as figures and not as expressions."""
    found: dict[str, list[float]] = {}
    for signal in question.signals:
        values = [n.value for n in signal.numbers if not isinstance(n.value, str)]
        if values:
            found[signal.id] = values
    if question.answer is not None and not isinstance(question.answer.value, str):
        found["answer"] = [question.answer.value]
    return found


@pytest.mark.parametrize("question_id", sorted(i for i, q in QUESTIONS.items() if fixed_figures(q)))
def test_figures_that_do_not_vary_equal_an_independent_computation(question_id):
    written = fixed_figures(QUESTIONS[question_id])
    own = {signal: [float(v) for v in values] for signal, values in FIXED[question_id].items()}
    assert sorted(written) == sorted(own)
    for signal, values in written.items():
        assert values == pytest.approx(own[signal], rel=WRITTEN_TOL), signal
