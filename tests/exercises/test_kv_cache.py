"""The key-value cache exercise: its model, its reference, its mutants, and how it counts."""

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

FOLDER = Path(__file__).parents[2] / "rubrics" / "coding" / "kv_cache"
SECRET = b"a secret of the tests"
SEEDS = [b"seed number %05d" % n for n in range(3)]
WEIGHTS = {
    "KV1": 10, "KV2": 20, "KV3": 15, "KV4": 15, "KV5": 10, "KV6": 10, "KV7": 5, "KV8": 10, "KV9": 5,
}  # fmt: skip

# Another right solution: storage that doubles, a loop over heads, float64 sums.
DOUBLING = b"""
import numpy as np

class CacheFull(Exception):
    pass

class KVCache:
    def __init__(self, n_kv_heads, head_dim, max_seq_len, dtype="float32"):
        if n_kv_heads < 1 or head_dim < 1 or max_seq_len < 1 or dtype not in ("float32", "float16"):
            raise ValueError(dtype)
        self.shape, self.most, self.dtype = (n_kv_heads, head_dim), max_seq_len, np.dtype(dtype)
        self.store = np.empty((2, 1, n_kv_heads, head_dim), dtype)
        self.count = 0

    @property
    def length(self):
        return self.count

    @property
    def bytes_per_token(self):
        return 2 * self.shape[0] * self.shape[1] * self.dtype.itemsize

    def _check(self, q, k, v):
        for x in (k, v):
            if x.ndim != 3 or x.shape[1:] != self.shape:
                raise ValueError(x.shape)
        if k.shape != v.shape:
            raise ValueError("k and v differ")
        if q is not None:
            if q.ndim != 3 or q.shape[2] != self.shape[1]:
                raise ValueError(q.shape)
            if q.shape[1] < 1 or q.shape[1] % self.shape[0] or q.shape[0] > self.count + len(k):
                raise ValueError(q.shape)
        if self.count + len(k) > self.most:
            raise CacheFull(self.count)

    def append(self, k, v):
        self._check(None, k, v)
        while self.store.shape[1] < self.count + len(k):
            self.store = np.concatenate([self.store, np.empty_like(self.store)], axis=1)
        self.store[0, self.count : self.count + len(k)] = k
        self.store[1, self.count : self.count + len(k)] = v
        self.count += len(k)

    def attend(self, q, scale=None):
        nothing = np.zeros((0, *self.shape))
        self._check(q, nothing, nothing)
        scale = self.shape[1] ** -0.5 if scale is None else scale
        out = np.zeros(q.shape, np.float32)
        k, v = self.store[:, : self.count].astype(np.float64)
        hidden = np.arange(self.count) > np.arange(self.count - len(q), self.count)[:, None]
        for head in range(q.shape[1]):
            shared = head // (q.shape[1] // self.shape[0])
            s = scale * (q[:, head].astype(np.float64) @ k[:, shared].T)
            s[hidden] = -np.inf
            p = np.exp(s - s.max(axis=1, keepdims=True, initial=-np.inf))
            out[:, head] = (p / p.sum(axis=1, keepdims=True)) @ v[:, shared]
        return out

    def step(self, q, k, v, scale=None):
        self._check(q, k, v)
        self.append(k, v)
        return self.attend(q, scale)

    def keys(self):
        return self.store[0, : self.count].copy()

    def values(self):
        return self.store[1, : self.count].copy()

    def truncate(self, length):
        if length < 0 or length > self.count:
            raise ValueError(length)
        self.count = length

    def reset(self):
        self.truncate(0)
"""

# No work, though more than a constant: every row is the plain mean of the values kept.
MEAN_OF_VALUES = (
    b"        scale = 1 / math.sqrt(dim) if scale is None else scale\n",
    b"        mean = np.repeat(self._v[:length].astype(np.float32).mean(axis=0), group, axis=0)\n"
    b"        return np.repeat(mean[None], rows, axis=0)\n",
)


@pytest.fixture(scope="module")
def kv_cache() -> Exercise:
    return load_exercise(FOLDER)


@pytest.fixture(scope="module")
def source() -> ExerciseSource:
    return ExerciseSource(FOLDER)


def _part(exercise: Exercise, *ids: str) -> Exercise:
    """The exercise with some of its invariants."""
    kept = tuple(i for i in exercise.suite.invariants if i.id in ids)
    return replace(exercise, suite=replace(exercise.suite, invariants=kept))


def _untimed(exercise: Exercise) -> Exercise:
    return _part(exercise, *(i for i in WEIGHTS if i != "KV9"))


def _failed(exercise: Exercise, source: bytes, pool: TrustedPool, secret: bytes) -> list[str]:
    result = graded(exercise, source, pool, secret)
    return [item.id for item in result.invariants if not item.passed]


COSTLY = ("grows_by_concatenation", "recomputes_all_rows")


def _mutants() -> Iterator[Any]:
    for path in sorted((FOLDER / "mutants").glob("*.py")):
        marks = [pytest.mark.slow] if path.stem in COSTLY else []
        yield pytest.param(path.stem, marks=marks)


def _mutant(exercise: Exercise, name: str) -> Mutant:
    return next(m for m in mutants_of(exercise) if m.name == name)


def _traces(exercise: Exercise, per_family: int) -> Iterator[tuple[str, Trace]]:
    """Traces of all untimed families."""
    for invariant in _untimed(exercise).suite.invariants:
        for family in invariant.cases:
            for seed in range(per_family if family.searchable else 1):
                yield invariant.id, family.generate(SeededChoice(seed))


# The model


def _by_loops(q: Any, k: Any, v: Any, scale: float) -> Any:
    """Attention spelled out number by number."""
    rows, heads, dim = q.shape
    group = heads // k.shape[1]
    out = np.zeros(q.shape)
    for i in range(rows):
        visible = range(len(k) - rows + i + 1)
        for h in range(heads):
            scores = [scale * math.fsum(q[i, h] * k[j, h // group]) for j in visible]
            weights = [math.exp(s - max(scores)) for s in scores]
            for d in range(dim):
                terms = (w * v[j, h // group, d] for w, j in zip(weights, visible, strict=True))
                out[i, h, d] = math.fsum(terms) / math.fsum(weights)
    return out


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.tuples(*[st.integers(1, 3)] * 3, st.integers(1, 6)),
    scale=st.sampled_from([None, 0.0, -0.5, 0.25]),
    dtype=st.sampled_from(["float32", "float16"]),
    data=st.data(),
)
def test_the_model_is_attention_spelled_out(seed, sizes, scale, dtype, data):
    kv_heads, group, dim, length = sizes
    rows = data.draw(st.integers(0, length))
    model = ExerciseSource(FOLDER).module("model")
    rng = np.random.default_rng(seed)
    k, v = rng.standard_normal((2, length, kv_heads, dim))
    q = rng.standard_normal((rows, kv_heads * group, dim))
    shadow = model.Shadow(kv_heads, dim, length, dtype)
    shadow.append(k, v)
    got = shadow.attend(q, scale, np.arange(rows))
    factor = 1 / math.sqrt(dim) if scale is None else scale
    stored = (x.astype(dtype).astype(np.float64) for x in (k, v))
    np.testing.assert_allclose(got, _by_loops(q, *stored, factor), rtol=1e-9, atol=1e-12)


def test_very_many_rows_are_sampled_and_still_compared(source: ExerciseSource):
    model = source.module("model")
    rows = 3 * model.MOST_ROWS
    shadow = model.Shadow(1, 1, rows)
    shadow.append(np.zeros((rows, 1, 1)), np.ones((rows, 1, 1)))
    q, right = np.zeros((rows, 1, 1)), np.ones((rows, 1, 1), np.float32)
    assert model.attention_mismatch(shadow, q, None, Observation(Kind.VALUE, right)) is None
    for wrong in (right * 2, right[1:], right.astype(np.float64), right.tolist()):
        assert model.attention_mismatch(shadow, q, None, Observation(Kind.VALUE, wrong))


# The cases


def _given(trace: Trace, name: str, index: int) -> Iterator[tuple[Call, Any]]:
    """The calls of that name with the values of one argument, where it is an array."""
    for op in (step.op for step in trace.steps):
        if isinstance(op, Call) and op.name == name:
            argument = (*op.args, *op.kwargs.values())[index]
            if hasattr(argument, "values"):
                yield op, argument.values


def test_ordinary_scores_stay_within_thirty_and_large_ones_are_exact(kv_cache: Exercise):
    for invariant, trace in _traces(kv_cache, per_family=20):
        keys = [k for _, k in _given(trace, "append", 0)]
        for call, q in _given(trace, "attend", 0):
            for k in keys:
                _check_scores(invariant, q, k, call.kwargs.get("scale"))


def _check_scores(invariant: str, q: Any, k: Any, scale: float | None) -> None:
    if q.ndim != 3 or k.ndim != 3 or q.shape[2] != k.shape[2]:
        return  # one of the illegal calls
    q, k = q.astype(np.float64), k.astype(np.float64)
    scores = np.abs(np.einsum("ihd,jgd->ihjg", q, k)).max(initial=0)
    factor = 1 / math.sqrt(q.shape[2]) if scale is None else abs(scale)
    if scores * factor > 30:
        assert invariant == "KV8"
        assert (q == q.round()).all()
        assert (k == k.round()).all()
        assert scores < 2**24
        assert math.log2(factor).is_integer()


def test_every_value_invariant_has_a_case_of_two_hundred_tokens(kv_cache: Exercise):
    longest = dict.fromkeys(WEIGHTS, 0)
    for invariant, trace in _traces(kv_cache, per_family=1):
        tokens = sum(len(k) for _, k in _given(trace, "append", 0))
        tokens += sum(len(k) for _, k in _given(trace, "step", 1))
        longest[invariant] = max(longest[invariant], tokens)
    assert all(longest[i] >= 200 for i in ("KV1", "KV2", "KV3", "KV4", "KV7", "KV8"))


def test_the_gpu_suite_has_the_same_invariants_with_larger_cases(
    kv_cache: Exercise, source: ExerciseSource
):
    gpu = source.module("invariants").GPU_SUITE
    assert [i.id for i in gpu.invariants] == [i.id for i in kv_cache.suite.invariants]
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


def test_weights_are_the_contracts(kv_cache: Exercise):
    assert {s.id: s.weight for s in kv_cache.question.signals} == WEIGHTS


@pytest.mark.parametrize("secret", SEEDS)
def test_the_reference_passes_on_every_seed(kv_cache: Exercise, pool: TrustedPool, secret: bytes):
    assert _failed(_untimed(kv_cache), kv_cache.reference, pool, secret) == []


def test_the_reference_passes_whole_with_head_room(kv_cache: Exercise, pool: TrustedPool):
    result = graded(kv_cache, kv_cache.reference, pool, SECRET)
    assert (result.verdict, result.score) == (CodeVerdict.CORRECT, 100.0)
    for item, invariant in zip(result.invariants, kv_cache.suite.invariants, strict=True):
        assert 3 * item.cpu_s < kv_cache.suite.share_s(invariant)


def test_another_right_solution_passes_whole(kv_cache: Exercise, pool: TrustedPool):
    assert _failed(kv_cache, DOUBLING, pool, SECRET) == []


@pytest.mark.parametrize("name", list(_mutants()))
def test_each_mutant_is_killed_by_the_invariants_it_names(
    kv_cache: Exercise, pool: TrustedPool, name: str
):
    mutant = _mutant(kv_cache, name)
    failed = _failed(_part(kv_cache, *mutant.killers), mutant.source, pool, SECRET)
    assert failed == sorted(mutant.killers)


@pytest.mark.parametrize("kind", ["guarded 0", "guarded argument", "guarded previous", "bare none"])
def test_no_points_for_nothing(kv_cache: Exercise, pool: TrustedPool, kind: str):
    idle = next(i for i in idle_submissions(kv_cache) if i.name == kind)
    assert graded(_untimed(kv_cache), idle.source, pool, SECRET).score <= MOST_POINTS


def test_a_cache_that_only_averages_gets_hardly_more(kv_cache: Exercise, pool: TrustedPool):
    averaging = kv_cache.reference.replace(*MEAN_OF_VALUES)
    assert averaging != kv_cache.reference
    assert graded(_untimed(kv_cache), averaging, pool, SECRET).score <= MOST_POINTS


def test_read_only_views_of_the_storage_are_found_out(kv_cache: Exercise, pool: TrustedPool):
    read_only = b"kept = self._k[: self._length]\n        kept.flags.writeable = False\n"
    views = kv_cache.reference.replace(
        b"return self._k[: self._length].copy()", read_only + b"        return kept"
    )
    assert _failed(_untimed(kv_cache), views, pool, SECRET) == ["KV5"]


def test_a_counter_example_runs_and_names_the_wrong_call(kv_cache: Exercise, pool: TrustedPool):
    mutant = _mutant(kv_cache, "heads_tiled")
    suite = SuiteRun(_part(kv_cache, "KV3"), submission_of(mutant.source), pool, SECRET)
    text = suite.result(Reveal.COUNTEREXAMPLES).invariants[0].counterexample or ""
    assert len(text.splitlines()) <= 10
    names: dict[str, Any] = {}
    reference = kv_cache.reference.decode()
    exec(reference, names)
    exec("\n".join(x for x in text.splitlines() if "import KVCache" not in x), names)
    assert "# expected: " in text


@pytest.mark.bwrap
def test_right_and_wrong_are_told_apart_in_bwrap(kv_cache: Exercise):
    from sandbox.pool import open_pool

    wrong = _mutant(kv_cache, "returns_views").source
    with open_pool("bwrap") as confined:
        right = graded(kv_cache, kv_cache.reference, confined, SECRET)
        assert _failed(_untimed(kv_cache), wrong, confined, SECRET) == ["KV5"]
    assert (right.verdict, right.backend) == (CodeVerdict.CORRECT, "bwrap")
