"""Comparing what was seen with what is right: exact types, stated tolerances, demanded errors.

Each function gives None where the observation is right and a `Mismatch` where it is not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.exercises.arrays import AnyArray
from grader.exercises.invariant import Violation
from sandbox.observation import Kind, Observation, Raised

_SHOWN = 160
_READ = 4000


@dataclass(frozen=True)
class Tolerance:
    """``|a - b| <= absolute + relative * |b|``, b being the reference."""

    absolute: float
    relative: float


CLOSE32 = Tolerance(2e-5, 2e-4)
CLOSE16 = Tolerance(4e-3, 4e-3)
CLOSE64 = Tolerance(1e-10, 1e-9)


@dataclass(frozen=True)
class Mismatch:
    """What was expected and what was seen, as a learner reads it."""

    expected: str
    got: str

    def at(self, step: int) -> Violation:
        """The violation that this is at a step of a trace."""
        return Violation(step, self.expected, self.got)


def described(seen: Observation) -> str:
    """An observation in words: a value's repr, or the error raised."""
    if seen.kind is Kind.RAISED and seen.raised is not None:
        message = f": {seen.raised.message}" if seen.raised.message else ""
        return shortened(f"raises {seen.raised.type_name}{message}")
    if seen.kind is Kind.REFUSED:
        return shortened(f"cannot be done: {seen.note}")
    return shown(seen.value)


def shown(value: Any) -> str:
    """A value as a learner reads it, cut to a line."""
    if isinstance(value, np.ndarray):
        listed = np.array2string(value, separator=", ", precision=6, threshold=8, edgeitems=2)
        body = " ".join(listed.split())
        return shortened(f"array({body}, {value.dtype}, shape {value.shape})")
    try:
        return shortened(repr(value))
    except ValueError:  # an integer of more digits than Python will print
        return "a value that holds an integer of thousands of digits"


def shortened(text: str) -> str:
    """The text on one line of bounded length, without characters that a terminal would obey."""
    line = "".join(c if c.isprintable() else "�" for c in " ".join(text[:_READ].split()))
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def value_mismatch(seen: Observation, expected: Any) -> Mismatch | None:
    """Whether exactly this plain value came back, of exactly these types at any depth."""
    if seen.kind is Kind.VALUE and same(seen.value, expected):
        return None
    return Mismatch(shown(expected), described(seen))


def same(value: Any, expected: Any) -> bool:
    """Equality of plain values that tells 1, 1.0 and True apart at any depth; NaN equals none."""
    if type(value) is not type(expected):
        return False
    if type(expected) in (list, tuple):
        return len(value) == len(expected) and all(map(same, value, expected))
    if type(expected) is dict:
        found = {(type(key), key): item for key, item in value.items()}
        wanted = {(type(key), key): item for key, item in expected.items()}
        return found.keys() == wanted.keys() and all(same(found[k], wanted[k]) for k in wanted)
    if isinstance(expected, np.ndarray):
        return value.dtype == expected.dtype and np.array_equal(value, expected)
    return bool(value == expected)


def array_mismatch(
    seen: Observation, expected: AnyArray, tolerance: Tolerance, dtype: str
) -> Mismatch | None:
    """Whether an array of this dtype came back, of the reference's shape and within tolerance.

    Args:
        seen: What came back.
        expected: The reference, in any precision; infinities match the same infinity only and
            NaN matches nothing.
        tolerance: How far each element may lie from the reference.
        dtype: The demanded dtype.
    """
    if seen.kind is not Kind.VALUE or type(seen.value) is not np.ndarray:
        return Mismatch(_array_kind(expected.shape, dtype), described(seen))
    got = seen.value
    if got.dtype != np.dtype(dtype) or got.shape != expected.shape:
        return Mismatch(_array_kind(expected.shape, dtype), _array_kind(got.shape, got.dtype.name))
    wrong = _outside(got, expected, tolerance)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    where = f"[{', '.join(map(str, place))}]"
    return Mismatch(
        f"{float(expected[place]):.7g} at {where}",
        f"{float(got[place]):.7g} at {where} ({int(wrong.sum())} of {wrong.size} elements differ)",
    )


def error_mismatch(seen: Observation, *allowed: str) -> Mismatch | None:
    """Whether one of the demanded errors was raised.

    Args:
        seen: What came back.
        allowed: Names of errors: built-in ones, or classes of the submitted file. A class of the
            submitted file must not derive from `ValueError` or `KeyError`.
    """
    if seen.raised is not None and any(_is_a(seen.raised, name) for name in allowed):
        return None
    return Mismatch(f"raises {' or '.join(allowed)}", described(seen))


def raised(seen: Observation, name: str) -> bool:
    """Whether the observation is an error of that name, in the sense of `error_mismatch`."""
    return error_mismatch(seen, name) is None


_BUILT_IN = ("ValueError", "KeyError")


def _is_a(error: Raised, name: str) -> bool:
    if name in _BUILT_IN:
        return error.is_a(name)
    own = error.is_a(f"submission.{name}")
    return own and not any(error.is_a(built_in) for built_in in _BUILT_IN)


def _outside(got: AnyArray, expected: AnyArray, tolerance: Tolerance) -> AnyArray:
    a, b = got.astype(np.float64), np.asarray(expected, np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= tolerance.absolute + tolerance.relative * np.abs(b)
    return ~np.where(np.isfinite(b) & np.isfinite(a), near, a == b)


def _array_kind(shape: tuple[int, ...], dtype: str) -> str:
    return f"an array of dtype {dtype} and shape {shape}"
