"""Array arguments that remember how they were made, so that a counter-example can be short.

A trace that holds a thousand random numbers would fill pages; one that holds the expression
which makes them fits a line and runs on the learner's machine.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Layout = Literal["contiguous", "strided", "reversed", "transposed"]
Shape = tuple[int, ...]
AnyArray = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Array:
    """An array argument of a trace.

    Attributes:
        code: Python expression over ``np`` that gives the same values.
        make: Computes the values; called at most once.
        layout: How the argument lies in the submission's memory.
        readonly: Whether the submission gets it write-protected.
        into: Handle under which the very array is kept, to be read or overwritten later.
    """

    code: str
    make: Callable[[], AnyArray]
    layout: Layout = "contiguous"
    readonly: bool = False
    into: str | None = None

    @cached_property
    def values(self) -> AnyArray:
        """The values, write-protected: they are shared by everything that judges."""
        made = np.ascontiguousarray(self.make())
        made.setflags(write=False)
        return made

    def laid(
        self, layout: Layout = "contiguous", *, readonly: bool = False, into: str | None = None
    ) -> "Array":
        """The same values under another layout, protection or handle."""
        return replace(self, layout=layout, readonly=readonly, into=into)


def given(values: AnyArray) -> Array:
    """An array written out in full; for a handful of numbers."""
    copy = np.array(values)
    listed = np.array2string(copy, separator=", ", threshold=10**6, max_line_width=10**6)
    text = " ".join(listed.split()).replace("inf", "np.inf").replace("nan", "np.nan")
    if copy.size == 0:
        return Array(f"np.zeros({copy.shape}, np.{_name(copy.dtype)})", lambda: copy)
    return Array(f"np.array({text}, np.{_name(copy.dtype)})", lambda: copy)


def filled(shape: Shape, value: float, dtype: str = "float32") -> Array:
    """An array of one value."""
    return Array(f"np.full({shape}, {value!r}, np.{dtype})", lambda: np.full(shape, value, dtype))


def normal(shape: Shape, seed: int, dtype: str = "float32", scale: float = 1.0) -> Array:
    """Independent normal numbers of the given standard deviation."""
    factor = "" if scale == 1.0 else f"{scale!r} * "
    return Array(
        f"({factor}np.random.default_rng({seed}).standard_normal({shape})).astype(np.{dtype})",
        lambda: (scale * np.random.default_rng(seed).standard_normal(shape)).astype(dtype),
    )


def whole(shape: Shape, seed: int, low: int, high: int, dtype: str = "float32") -> Array:
    """Independent integers in [low, high], stored as ``dtype``: their sums are exact."""
    return Array(
        f"np.random.default_rng({seed}).integers({low}, {high + 1}, {shape}).astype(np.{dtype})",
        lambda: np.random.default_rng(seed).integers(low, high + 1, shape).astype(dtype),
    )


def _name(dtype: np.dtype[Any]) -> str:
    return "bool_" if dtype == np.bool_ else dtype.name
