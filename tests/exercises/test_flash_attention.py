"""The tiled attention exercise: its model, its reference, its mutants, and how it counts."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.exercises.choice import SeededChoice
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.invariant import Work
from grader.exercises.kit.mutants import Mutant, graded, mutants_of
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.kit.zero_effort import MOST_POINTS, idle_submissions
from grader.exercises.result import CodeVerdict, Reveal
from grader.exercises.source import ExerciseSource
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun
from grader.exercises.trace import Trace
from sandbox.observation import Kind, Observation
from sandbox.ops import Call

FOLDER = Path(__file__).parents[2] / "rubrics" / "coding" / "flash_attention"
SECRET = b"a secret of the tests"
SEEDS = [b"seed number %05d" % n for n in range(3)]
WEIGHTS = {
    "FA1": 10, "FA2": 15, "FA3": 20, "FA4": 10, "FA5": 10,
    "FA6": 15, "FA7": 5, "FA8": 5, "FA9": 5, "FA10": 5,
}  # fmt: skip

# Another right solution: keys outside, queries inside, everything in float64, an output that is
# kept normalised after every tile, and a finite start of the maximum that no score reaches.
KEYS_OUTSIDE = b"""
import numpy as np

LOWEST = -1e30

def flash_attention(q, k, v, *, causal=False, scale=None, key_mask=None, block_q=64, block_k=64,
                    return_lse=False):
    if any(x.ndim != 2 for x in (q, k, v)) or q.shape[1] != k.shape[1]:
        raise ValueError("shape")
    if k.shape[0] != v.shape[0] or len({q.dtype, k.dtype, v.dtype}) != 1:
        raise ValueError("length or type")
    if block_q < 1 or block_k < 1:
        raise ValueError("block")
    if key_mask is not None and (key_mask.dtype != bool or key_mask.shape != (k.shape[0],)):
        raise ValueError("mask")
    n_q, n_k = len(q), len(k)
    scale = q.shape[1] ** -0.5 if scale is None else scale
    out = np.zeros((n_q, v.shape[1]))
    high, total = np.full(n_q, LOWEST), np.zeros(n_q)
    for start in range(0, n_k, block_k):
        columns = np.arange(start, min(start + block_k, n_k))
        keys, values = (x[columns].astype(np.float64) for x in (k, v))
        for top in range(0, n_q, block_q):
            rows = np.arange(top, min(top + block_q, n_q))
            seen = np.ones((len(rows), len(columns)), bool)
            if causal:
                seen &= columns <= rows[:, None] + (n_k - n_q)
            if key_mask is not None:
                seen &= key_mask[columns]
            scores = np.where(seen, scale * (q[rows].astype(np.float64) @ keys.T), LOWEST)
            new = np.maximum(high[rows], scores.max(axis=1))
            weights = np.where(seen, np.exp(scores - new[:, None]), 0.0)
            old = total[rows] * np.exp(high[rows] - new)
            total[rows] = old + weights.sum(axis=1)
            sums = out[rows] * old[:, None] + weights @ values
            out[rows] = sums / np.maximum(total[rows], 1e-300)[:, None]
            high[rows] = new
    kind = np.float64 if q.dtype == np.float64 else np.float32
    with np.errstate(divide="ignore"):
        lse = np.where(total > 0, high + np.log(total), -np.inf).astype(kind)
    out = out.astype(q.dtype)
    return (out, lse) if return_lse else out
"""


@pytest.fixture(scope="module")
def flash_attention() -> Exercise:
    return load_exercise(FOLDER)


@pytest.fixture(scope="module")
def source() -> ExerciseSource:
    return ExerciseSource(FOLDER)


def _part(exercise: Exercise, *ids: str) -> Exercise:
    """The exercise with some of its invariants."""
    kept = tuple(i for i in exercise.suite.invariants if i.id in ids)
    return replace(exercise, suite=replace(exercise.suite, invariants=kept))


def _unmeasured(exercise: Exercise) -> Exercise:
    return _part(exercise, *(i for i in WEIGHTS if i != "FA10"))


def _failed(exercise: Exercise, source: bytes, pool: TrustedPool, secret: bytes) -> list[str]:
    result = graded(exercise, source, pool, secret)
    return [item.id for item in result.invariants if not item.passed]


COSTLY = ("whole_matrix_sliced", "whole_rows_of_scores")


def _mutants() -> Iterator[Any]:
    for path in sorted((FOLDER / "mutants").glob("*.py")):
        marks = [pytest.mark.slow] if path.stem in COSTLY else []
        yield pytest.param(path.stem, marks=marks)


def _mutant(exercise: Exercise, name: str) -> Mutant:
    return next(m for m in mutants_of(exercise) if m.name == name)


def _traces(exercise: Exercise, per_family: int) -> Iterator[tuple[str, Trace]]:
    """Traces of all families but the measured ones."""
    for invariant in _unmeasured(exercise).suite.invariants:
        for family in invariant.cases:
            for seed in range(per_family if family.searchable else 1):
                yield invariant.id, family.generate(SeededChoice(seed))


# The model


def _by_loops(request: Any) -> tuple[Any, Any]:
    """Attention spelled out number by number."""
    q, k, v, given_ = request.q, request.k, request.v, request.given
    scale = given_.get("scale")
    scale = 1 / math.sqrt(q.shape[1]) if scale is None else scale
    mask = given_.get("key_mask", np.ones(len(k), bool))
    out, lse = np.zeros((len(q), v.shape[1])), np.full(len(q), -np.inf)
    for i in range(len(q)):
        last = i + len(k) - len(q) if given_.get("causal") else len(k)
        visible = [j for j in range(len(k)) if mask[j] and j <= last]
        scores = [scale * math.fsum(q[i] * k[j]) for j in visible]
        if visible:
            weights = [math.exp(s - max(scores)) for s in scores]
            total = math.fsum(weights)
            lse[i] = max(scores) + math.log(total)
            for d in range(v.shape[1]):
                terms = (w * v[j, d] for w, j in zip(weights, visible, strict=True))
                out[i, d] = math.fsum(terms) / total
    return out, lse


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 3), st.integers(1, 3)),
    scale=st.sampled_from([None, 0.0, -0.5, 0.25]),
    causal=st.booleans(),
    masked=st.booleans(),
)
def test_the_model_is_attention_spelled_out(seed, sizes, scale, causal, masked):
    n_q, n_k, dim, dim_v = sizes
    model = ExerciseSource(FOLDER).module("model")
    rng = np.random.default_rng(seed)
    arrays = (rng.standard_normal(shape) for shape in ((n_q, dim), (n_k, dim), (n_k, dim_v)))
    options = {"scale": scale, "causal": causal}
    options |= {"key_mask": rng.random(n_k) < 0.5} if masked else {}
    request = model.Request(*arrays, options)
    right = request.attended()
    out, lse = _by_loops(request)
    np.testing.assert_allclose(right.out, out, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(right.lse, lse, rtol=1e-9, atol=1e-12)


@pytest.fixture
def half_empty(source: ExerciseSource) -> Any:
    """Two queries and one key, causal: row 0 sees nothing."""
    one = np.ones((1, 1), np.float32)
    return source.module("model").Request(
        np.ones((2, 1), np.float32), one, 3 * one, {"causal": True, "return_lse": True}
    )


@pytest.mark.parametrize(
    ("first", "lse", "plain", "strict"),
    [
        (0.0, -np.inf, True, True),
        (np.nan, -np.inf, True, False),
        (1e-9, -np.inf, True, False),
        (0.0, -1e9, True, False),
    ],
)
def test_only_what_is_looked_at_counts(source, half_empty, first, lse, plain, strict):
    look = source.module("model").Look
    answer = (np.array([[first], [3.0]], np.float32), np.array([lse, 1.0], np.float32))
    seen = Observation(Kind.VALUE, answer)
    assert (look().mismatch(half_empty, seen, Work()) is None) is plain
    assert (look(empty=True).mismatch(half_empty, seen, Work()) is None) is strict


def test_an_answer_of_the_wrong_type_is_wrong_wherever_one_looks(source, half_empty):
    look = source.module("model").Look(out=False)
    out, lse = np.array([[0], [3]], np.float32), np.array([-np.inf, 1], np.float32)
    for wrong in (out, [out, lse], (out, lse, lse), (out, lse.astype(float)), (out[1:], lse), None):
        assert look.mismatch(half_empty, Observation(Kind.VALUE, wrong), Work())


# The cases


def _calls(trace: Trace) -> Iterator[Call]:
    for step in trace.steps:
        op = step.op
        legal = isinstance(op, Call) and step.note != "illegal"
        if legal and all(hasattr(argument, "values") for argument in op.args):
            yield op


def test_ordinary_scores_stay_within_thirty_and_large_ones_are_exact(flash_attention: Exercise):
    for _, trace in _traces(flash_attention, per_family=30):
        for call in _calls(trace):
            mask = call.kwargs.get("key_mask")
            q, k = (a.values.astype(np.float64) for a in call.args[:2])
            k = k if mask is None else k[mask.values]
            scale = call.kwargs.get("scale", 1 / math.sqrt(q.shape[1]))
            products = np.abs(q @ k.T).max(initial=0)
            if products * abs(scale) > 30:
                assert (q == q.round()).all()
                assert (k == k.round()).all()
                assert products < 2**24
                assert math.log2(abs(scale)).is_integer()


def test_every_value_invariant_has_a_case_of_two_hundred_tokens(flash_attention: Exercise):
    longest = dict.fromkeys(WEIGHTS, 0)
    for invariant, trace in _traces(flash_attention, per_family=1):
        keys = max((len(call.args[1].values) for call in _calls(trace)), default=0)
        longest[invariant] = max(longest[invariant], keys)
    assert all(longest[i] >= 200 for i in WEIGHTS if i != "FA10")


def test_the_gpu_suite_has_the_same_invariants_with_larger_cases(
    flash_attention: Exercise, source: ExerciseSource
):
    gpu = source.module("invariants").GPU_SUITE
    assert [i.id for i in gpu.invariants] == [i.id for i in flash_attention.suite.invariants]
    longest = max(
        len(argument.values)
        for invariant in gpu.invariants
        for family in invariant.cases
        for step in family.generate(SeededChoice(1)).steps
        for argument in getattr(step.op, "args", ())
        if hasattr(argument, "values")
    )
    assert longest >= 8192


# Verdicts


def test_weights_are_the_contracts(flash_attention: Exercise):
    assert {s.id: s.weight for s in flash_attention.question.signals} == WEIGHTS


@pytest.mark.parametrize("secret", SEEDS)
def test_the_reference_passes_on_every_seed(
    flash_attention: Exercise, pool: TrustedPool, secret: bytes
):
    assert _failed(_unmeasured(flash_attention), flash_attention.reference, pool, secret) == []


def test_the_reference_passes_whole_with_head_room(flash_attention: Exercise, pool: TrustedPool):
    result = graded(flash_attention, flash_attention.reference, pool, SECRET)
    assert (result.verdict, result.score) == (CodeVerdict.CORRECT, 100.0)
    for item, invariant in zip(result.invariants, flash_attention.suite.invariants, strict=True):
        assert 3 * item.cpu_s < flash_attention.suite.share_s(invariant)


def test_another_right_solution_passes_whole(flash_attention: Exercise, pool: TrustedPool):
    assert _failed(flash_attention, KEYS_OUTSIDE, pool, SECRET) == []


@pytest.mark.parametrize("name", list(_mutants()))
def test_each_mutant_is_killed_by_the_invariants_it_names(
    flash_attention: Exercise, pool: TrustedPool, name: str
):
    mutant = _mutant(flash_attention, name)
    failed = _failed(_part(flash_attention, *mutant.killers), mutant.source, pool, SECRET)
    assert failed == sorted(mutant.killers)


@pytest.mark.parametrize("kind", ["guarded 0", "guarded argument", "guarded previous", "bare none"])
def test_no_points_for_nothing(flash_attention: Exercise, pool: TrustedPool, kind: str):
    idle = next(i for i in idle_submissions(flash_attention) if i.name == kind)
    assert graded(_unmeasured(flash_attention), idle.source, pool, SECRET).score <= MOST_POINTS


def test_a_counter_example_runs_and_names_the_wrong_call(
    flash_attention: Exercise, pool: TrustedPool
):
    mutant = _mutant(flash_attention, "causal_from_top_left")
    suite = SuiteRun(_part(flash_attention, "FA3"), submission_of(mutant.source), pool, SECRET)
    text = suite.result(Reveal.COUNTEREXAMPLES).invariants[0].counterexample or ""
    assert len(text.splitlines()) <= 10
    names: dict[str, Any] = {}
    exec(flash_attention.reference.decode(), names)
    exec("\n".join(x for x in text.splitlines() if "import flash" not in x), names)
    assert "causal=True" in text


@pytest.mark.bwrap
def test_right_and_wrong_are_told_apart_in_bwrap(flash_attention: Exercise):
    from sandbox.pool import open_pool

    wrong = _mutant(flash_attention, "whole_rows_of_scores").source
    with open_pool("bwrap") as confined:
        right = graded(flash_attention, flash_attention.reference, confined, SECRET)
        assert _failed(flash_attention, wrong, confined, SECRET) == ["FA10"]
    assert (right.verdict, right.backend) == (CodeVerdict.CORRECT, "bwrap")
