"""Everything that the Python of an exercise folder needs, in one import."""

from grader.exercises.arrays import Array, Layout, filled, given, normal, whole
from grader.exercises.choice import Choice, SeededChoice, strategy_of
from grader.exercises.compare import (
    CLOSE16,
    CLOSE32,
    CLOSE64,
    Mismatch,
    Tolerance,
    array_mismatch,
    described,
    error_mismatch,
    raised,
    same,
    shown,
    value_mismatch,
)
from grader.exercises.example import NOTHING, Example, Line, Raises
from grader.exercises.invariant import Cases, Check, Invariant, Mode, Suite, Violation, Work
from grader.exercises.trace import Seen, Step, Trace, TraceBuilder
from sandbox.observation import Kind, Observation
from sandbox.ops import Call, Del, Get, New, Op, Read, Ref, Write

__all__ = [
    "CLOSE16",
    "CLOSE32",
    "CLOSE64",
    "NOTHING",
    "Array",
    "Call",
    "Cases",
    "Check",
    "Choice",
    "Del",
    "Example",
    "Get",
    "Invariant",
    "Kind",
    "Layout",
    "Line",
    "Mismatch",
    "Mode",
    "New",
    "Observation",
    "Op",
    "Raises",
    "Read",
    "Ref",
    "SeededChoice",
    "Seen",
    "Step",
    "Suite",
    "Tolerance",
    "Trace",
    "TraceBuilder",
    "Violation",
    "Work",
    "Write",
    "array_mismatch",
    "described",
    "error_mismatch",
    "filled",
    "given",
    "normal",
    "raised",
    "same",
    "shown",
    "strategy_of",
    "value_mismatch",
    "whole",
]
