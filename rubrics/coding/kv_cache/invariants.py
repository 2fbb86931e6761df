"""The nine invariants of a key-value cache."""

from typing import Any

import numpy as np

from grader.exercises.authoring import (
    CLOSE32,
    Call,
    Cases,
    Get,
    Invariant,
    Mismatch,
    Mode,
    Op,
    Seen,
    Suite,
    Trace,
    Violation,
    Work,
    array_mismatch,
    described,
    error_mismatch,
    same,
)
from sandbox.observation import Kind, Observation

from . import borrowing, costs, numerics, operations, refusals
from .model import Books
from .operations import Sizes


def followed(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Every answer is what the same history gives in float64."""
    books = Books()
    for index, step, got in seen.pairs(trace):
        if wrong := books.follow(step.op, got, work):
            return Violation(index, wrong.expected, wrong.got, trace.facts.get("code", ""))
    return None


def refused(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Illegal calls raise what they must and change nothing; a cache of one token gives its v."""
    books, state = Books(), State()
    for index, step, got in seen.pairs(trace):
        if step.note:
            wrong = error_mismatch(got, *step.note)
            work["illegal"] += 1
            state.freeze()
        elif _of_main_cache(step.op) and step.probe:
            wrong = state.look(step.op, got)
        else:
            wrong = books.follow(step.op, got, work)
            state.thaw()
        if wrong:
            return wrong.at(index)
    return None


def _of_main_cache(op: Op) -> bool:
    return isinstance(op, Call | Get) and op.on == "c"


class State:
    """What was last seen of a cache, and whether it must stay so."""

    def __init__(self) -> None:
        self._last: dict[str, Observation] = {}
        self._frozen = False

    def freeze(self) -> None:
        """From here on nothing may change."""
        self._frozen = True

    def thaw(self) -> None:
        """A legal call may change everything."""
        self._frozen = False

    def look(self, op: Op, got: Observation) -> Mismatch | None:
        """One look; the query is the same before and after an illegal call."""
        assert isinstance(op, Call | Get)
        before, self._last[op.name] = self._last.get(op.name), got
        if not self._frozen or before is None or _alike(before, got, op.name):
            return None
        return Mismatch(f"{described(before)}, as before the illegal call", described(got))


def _alike(before: Observation, got: Observation, name: str) -> bool:
    if before.kind is not Kind.VALUE or got.kind is not Kind.VALUE:
        return described(before) == described(got)
    old: Any = before.value
    if name == "attend" and type(old) is np.ndarray:
        return array_mismatch(got, old, CLOSE32, old.dtype.name) is None
    return same(got.value, old)


def suite(sizes: Sizes) -> Suite:
    """The invariants, their large cases of the given sizes."""
    large: dict[str, Any] = {"count": 1, "searchable": False}
    timed: dict[str, Any] = {**large, "mode": Mode.ALONE}
    attended = {"attended": 1}
    return Suite(
        cpu_s=90,
        memory_mib=512,
        sizes=("length", "bytes_per_token"),
        invariants=(
            Invariant(
                "KV1",
                followed,
                (Cases(operations.prefills), Cases(operations.large_prefill(sizes), **large)),
                attended,
            ),
            Invariant(
                "KV2",
                followed,
                (Cases(operations.partitions), Cases(operations.large_partition(sizes), **large)),
                attended,
            ),
            Invariant(
                "KV3",
                followed,
                (Cases(operations.grouped_heads), Cases(operations.large_grouped(sizes), **large)),
                {"grouped": 1},
            ),
            Invariant(
                "KV4",
                followed,
                (
                    Cases(operations.offsets),
                    Cases(operations.futures, count=8),
                    Cases(operations.large_offsets(sizes), **large),
                ),
                attended,
            ),
            Invariant(
                "KV5",
                followed,
                (Cases(borrowing.borrowed), Cases(borrowing.each_once, **large)),
                {"attended": 1, "read back": 1, "overwritten": 1},
            ),
            Invariant(
                "KV6",
                refused,
                (Cases(refusals.refused), Cases(refusals.every_refusal, count=4, searchable=False)),
                {"attended": 1, "illegal": 1},
            ),
            Invariant(
                "KV7",
                followed,
                (Cases(operations.rollbacks), Cases(operations.long_rollbacks, **large)),
                attended,
            ),
            Invariant(
                "KV8",
                followed,
                (
                    Cases(numerics.scales, count=8),
                    Cases(numerics.large_logits, count=16),
                    Cases(numerics.half_storage, count=8),
                    Cases(numerics.storage_types, count=2),
                    Cases(numerics.long_half, **large),
                ),
                attended,
            ),
            Invariant(
                "KV9",
                followed,
                (
                    Cases(costs.appends, cpu_s=5, **timed),
                    Cases(costs.steps, cpu_s=10, **timed),
                ),
                attended,
            ),
        ),
    )


CPU = Sizes(tokens=(200, 260), kv_heads=2, ratio=4, head_dim=16)
GPU = Sizes(tokens=(8192, 8192), kv_heads=8, ratio=4, head_dim=128)

SUITE = suite(CPU)
GPU_SUITE = suite(GPU)
