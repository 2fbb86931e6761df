"""The ten invariants of tiled attention."""

from typing import Any

import numpy as np

from grader.exercises.authoring import (
    Call,
    Cases,
    Check,
    Invariant,
    Mismatch,
    Mode,
    Read,
    Seen,
    Suite,
    Tolerance,
    Trace,
    Violation,
    Work,
    Write,
    array_mismatch,
    error_mismatch,
    value_mismatch,
)
from sandbox.observation import Kind, Observation

from . import borrowing, costs, numerics, operations
from .model import AnyArray, Look, Request, request_of
from .operations import Sizes

# Two logarithms of size 4, each within close32, move the weights of a merge by this much.
MERGED = Tolerance(2e-3, 2e-3)


def looked(look: Look) -> Check:
    """A check of every call of a trace by what one invariant looks at."""

    def check(trace: Trace, seen: Seen, work: Work) -> Violation | None:
        for index, step, got in seen.pairs(trace):
            assert isinstance(step.op, Call)
            if wrong := look.mismatch(request_of(step.op, {}), got, work):
                return wrong.at(index)
        return None

    return check


# FA8


def logarithms(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Each logarithm is right; two halves merge to the whole."""
    look = Look(out=False, lse=True)
    if not trace.facts.get("halves"):
        return looked(look)(trace, seen, work)
    requests = [request_of(step.op, {}) for step in trace.steps if isinstance(step.op, Call)]
    for index, request in enumerate(requests):
        if wrong := look.mismatch(request, seen.observations[index], work):
            return wrong.at(index)
    if wrong := _merge_mismatch(requests, [got.value for got in seen.observations]):
        return wrong.at(len(requests) - 1)
    work["merged"] += 1
    return None


def _merge_mismatch(
    requests: list[Request], parts: list[tuple[AnyArray, AnyArray]]
) -> Mismatch | None:
    whole = Request(
        requests[0].q,
        np.concatenate([request.k for request in requests]),
        np.concatenate([request.v for request in requests]),
        {},
    )
    lse = np.logaddexp(parts[0][1], parts[1][1])
    merged = sum(out * np.exp(part - lse)[:, None] for out, part in parts)
    wrong = array_mismatch(
        Observation(Kind.VALUE, merged), whole.attended().out, MERGED, merged.dtype.name
    )
    return wrong and Mismatch(
        f"merged with the half before it by their lse: {wrong.expected}", wrong.got
    )


# FA9


def manners(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """Right types, arguments unchanged, nothing shared, illegal calls refused."""
    held: dict[str, AnyArray] = {}
    for index, step, got in seen.pairs(trace):
        wrong: Mismatch | None = None
        match step.op:
            case Call() if step.note == "illegal":
                wrong = error_mismatch(got, "ValueError")
                work["illegal"] += 1
            case Call(into=into):
                wrong = Look().mismatch(request_of(step.op, held), got, work)
                if into is not None and wrong is None:
                    held[into] = got.value
            case Read(target=str(name)):
                wrong = value_mismatch(got, held[name])
                work["read back"] += 1
            case Write(target=str(name)):
                held.pop(name)
        if wrong:
            return wrong.at(index)
    return None


# FA10


def measured(trace: Trace, seen: Seen, work: Work) -> Violation | None:
    """A sample of rows is right and memory has grown no further than it may."""
    for index, step, got in seen.pairs(trace):
        assert isinstance(step.op, Call)
        wrong = Look().mismatch(request_of(step.op, {}), got, work)
        if wrong is None and step.note == "measured":
            wrong = _growth_mismatch(got, trace.facts["growth_mib"])
            work["measured"] += 1
        if wrong:
            return Violation(index, wrong.expected, wrong.got, trace.facts["code"])
    return None


def _growth_mismatch(got: Observation, most_mib: int) -> Mismatch | None:
    growth = got.reading.growth if got.reading else 0
    if growth <= most_mib * costs.MIB:
        return None
    return Mismatch(
        f"memory grows by at most {most_mib} MiB during the call", f"{growth / costs.MIB:.0f} MiB"
    )


def suite(sizes: Sizes) -> Suite:
    """The invariants, their large cases of the given sizes."""
    large: dict[str, Any] = {"count": 1, "searchable": False}
    timed: dict[str, Any] = {**large, "mode": Mode.LOCKSTEP, "cpu_s": 30}
    rows = {"rows": 1}
    values = looked(Look())
    return Suite(
        cpu_s=120,
        memory_mib=512,
        invariants=(
            Invariant(
                "FA1",
                values,
                (Cases(operations.dense), Cases(operations.large_dense(sizes), **large)),
                rows,
            ),
            Invariant(
                "FA2",
                values,
                (Cases(operations.tilings), Cases(operations.large_tilings(sizes), **large)),
                rows,
            ),
            Invariant(
                "FA3",
                values,
                (Cases(operations.causal), Cases(operations.large_causal(sizes), **large)),
                rows,
            ),
            Invariant(
                "FA4",
                looked(Look(empty=True)),
                (
                    Cases(operations.empty_rows, count=12),
                    Cases(operations.masked_tile, count=8),
                    Cases(operations.nothing_there, count=4),
                    Cases(operations.large_empty(sizes), **large),
                ),
                {"rows": 1, "empty": 1},
            ),
            Invariant(
                "FA5",
                values,
                (
                    Cases(numerics.exclusions, count=16),
                    Cases(numerics.low_scores, count=16),
                    Cases(numerics.large_low_scores(sizes), **large),
                ),
                rows,
            ),
            Invariant(
                "FA6",
                values,
                (
                    Cases(numerics.rising_scores, count=16),
                    Cases(numerics.extreme_scores, count=12),
                    Cases(numerics.equal_scores, count=4),
                    Cases(numerics.large_rising(sizes), **large),
                ),
                rows,
            ),
            Invariant(
                "FA7",
                values,
                (Cases(operations.scales), Cases(operations.large_scales(sizes), **large)),
                rows,
            ),
            Invariant(
                "FA8",
                logarithms,
                (
                    Cases(operations.logarithms, count=16),
                    Cases(operations.halves, count=8),
                    Cases(operations.large_logarithms(sizes), **large),
                ),
                {"lse": 1, "merged": 1},
            ),
            Invariant(
                "FA9",
                manners,
                (
                    Cases(borrowing.types, count=8),
                    Cases(borrowing.borrowed, count=16),
                    Cases(borrowing.single_key, count=2),
                    Cases(borrowing.refused, count=4),
                    Cases(borrowing.every_refusal, **large),
                    Cases(borrowing.half_sums, **large),
                ),
                {"rows": 1, "read back": 1, "illegal": 1},
            ),
            Invariant(
                "FA10",
                measured,
                (
                    Cases(costs.long(sizes, causal=False), **timed),
                    Cases(costs.long(sizes, causal=True), **timed),
                    Cases(costs.wide(sizes), **timed),
                ),
                {"measured": 3},
            ),
        ),
    )


CPU = Sizes(tokens=(200, 260), longest=8192, growth_mib=96)
GPU = Sizes(tokens=(4096, 8192), longest=32768, growth_mib=256)

SUITE = suite(CPU)
GPU_SUITE = suite(GPU)
