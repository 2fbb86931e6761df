"""Exact arithmetic for the solutions, and the register they are entered in."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor

GIGA, MEGA, KILO = 10**9, 10**6, 10**3
KIB = 1024

Figures = Mapping[str, Fraction | int | float]
Solution = Callable[..., Figures]

FixedFigures = Mapping[str, tuple[Fraction | int | float, ...]]

_solutions: dict[str, Solution] = {}
_fixed: dict[str, Callable[[], FixedFigures]] = {}


def solves(question_id: str) -> Callable[[Solution], Solution]:
    """Enters a function as the independent solution of a question.

    The function takes the drawn parameters as exact fractions and returns ``answer`` and every
    name that a text or a number of the question shows.
    """

    def enter(solution: Solution) -> Solution:
        assert question_id not in _solutions, f"{question_id} has two solutions"
        _solutions[question_id] = solution
        return solution

    return enter


def fixes(question_id: str) -> Callable[[Callable[[], FixedFigures]], Callable[[], FixedFigures]]:
    """Enters the figures of a question that do not vary.

    The function returns, by signal id, the exact values of its numbers in their order; ``answer``
    stands for the answer where that is fixed as well.
    """

    def enter(figures: Callable[[], FixedFigures]) -> Callable[[], FixedFigures]:
        assert question_id not in _fixed, f"{question_id} has fixed figures twice"
        _fixed[question_id] = figures
        return figures

    return enter


def all_solutions() -> dict[str, Solution]:
    """The solutions of all modules of this package, by question id."""
    _import_all()
    return dict(_solutions)


def all_fixed_figures() -> dict[str, FixedFigures]:
    """The fixed figures of all modules of this package, by question id."""
    _import_all()
    return {question_id: figures() for question_id, figures in _fixed.items()}


def _import_all() -> None:
    package = importlib.import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{__package__}.{module.name}")


def rounded(value: Fraction | float, digits: int = 0) -> Fraction:
    """The value to that many decimals, halves upwards, as a person writes it."""
    scale = Fraction(10) ** digits
    return Fraction(floor(Fraction(value) * scale + Fraction(1, 2))) / scale


def of(text: str) -> Fraction:
    """A decimal figure of a prompt, exactly."""
    return Fraction(text)
