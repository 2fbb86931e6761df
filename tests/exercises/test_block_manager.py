"""The block manager exercise: its reference, its mutants, and how it counts."""

import sys
from dataclasses import replace
from types import ModuleType

import pytest

from grader.exercises.exercise import Exercise
from grader.exercises.kit.mutants import Mutant, graded, mutants_of
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.kit.zero_effort import MOST_POINTS, idle_submissions
from grader.exercises.result import CodeVerdict, Reveal
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun

from .conftest import BLOCK_MANAGER, SECRET

WEIGHTS = {
    "BM1": 15, "BM2": 15, "BM3": 25, "BM4": 15, "BM5": 10, "BM6": 5, "BM7": 5, "BM8": 5, "BM9": 5,
}  # fmt: skip
SEEDS = [b"seed number %05d" % n for n in range(3)]


def _part(exercise: Exercise, *ids: str) -> Exercise:
    """The exercise with some of its invariants."""
    kept = tuple(i for i in exercise.suite.invariants if i.id in ids)
    return replace(exercise, suite=replace(exercise.suite, invariants=kept))


def _untimed(exercise: Exercise) -> Exercise:
    return _part(exercise, *(i for i in WEIGHTS if i != "BM9"))


def _mutants() -> list[str]:
    return [path.stem for path in sorted((BLOCK_MANAGER / "mutants").glob("*.py"))]


def _mutant(exercise: Exercise, name: str) -> Mutant:
    return next(m for m in mutants_of(exercise) if m.name == name)


def test_weights_are_the_contracts(block_manager: Exercise):
    assert {s.id: s.weight for s in block_manager.question.signals} == WEIGHTS


@pytest.mark.parametrize("secret", SEEDS)
def test_the_reference_passes_on_every_seed(
    block_manager: Exercise, pool: TrustedPool, secret: bytes
):
    result = graded(_untimed(block_manager), block_manager.reference, pool, secret)
    assert [item.id for item in result.invariants if not item.passed] == []


def test_the_reference_passes_whole_with_head_room(block_manager: Exercise, pool: TrustedPool):
    result = graded(block_manager, block_manager.reference, pool, SECRET)
    assert (result.verdict, result.score) == (CodeVerdict.CORRECT, 100.0)
    for item, invariant in zip(result.invariants, block_manager.suite.invariants, strict=True):
        assert 3 * item.cpu_s < block_manager.suite.share_s(invariant)


@pytest.mark.parametrize("name", _mutants())
def test_each_mutant_is_killed_by_the_invariants_it_names(
    block_manager: Exercise, pool: TrustedPool, name: str
):
    mutant = _mutant(block_manager, name)
    for secret in SEEDS[:1]:
        result = graded(_part(block_manager, *mutant.killers), mutant.source, pool, secret)
        assert [item.id for item in result.invariants if item.passed] == []


@pytest.mark.parametrize("kind", ["guarded 0", "guarded none", "guarded previous", "bare empty"])
def test_no_points_for_nothing(block_manager: Exercise, pool: TrustedPool, kind: str):
    idle = next(i for i in idle_submissions(block_manager) if i.name == kind)
    result = graded(_untimed(block_manager), idle.source, pool, SECRET)
    assert result.score <= MOST_POINTS


def test_any_choice_of_free_block_is_right(block_manager: Exercise, pool: TrustedPool):
    scattered = block_manager.reference.replace(
        b"block = self._free.pop()",
        b"block = self._free.pop(len(self._free) * 7 // 11)",
    )
    assert graded(_untimed(block_manager), scattered, pool, SECRET).score == 95.0


def test_a_counter_example_names_the_wrong_call(block_manager: Exercise, pool: TrustedPool):
    mutant = _mutant(block_manager, "shared_full_block_copied")
    suite = SuiteRun(_part(block_manager, "BM4"), submission_of(mutant.source), pool, SECRET)
    text = suite.result(Reveal.COUNTEREXAMPLES).invariants[0].counterexample or ""
    assert "append_slot" in text.splitlines()[-3]
    assert text.splitlines()[-2].startswith("# expected: (")


@pytest.mark.bwrap
def test_right_and_wrong_are_told_apart_in_bwrap(block_manager: Exercise):
    from sandbox.pool import open_pool

    wrong = _mutant(block_manager, "source_count_not_dropped").source
    with open_pool("bwrap") as confined:
        right = graded(block_manager, block_manager.reference, confined, SECRET)
        partial = graded(_untimed(block_manager), wrong, confined, SECRET)
    assert (right.verdict, right.backend) == (CodeVerdict.CORRECT, "bwrap")
    assert right.proved
    assert partial.verdict is CodeVerdict.PARTIAL


@pytest.mark.docker
def test_right_and_wrong_are_told_apart_in_docker(block_manager: Exercise):
    from sandbox.pool import open_pool

    wrong = _mutant(block_manager, "source_count_not_dropped").source
    with open_pool("docker") as confined:
        right = graded(block_manager, block_manager.reference, confined, SECRET)
        partial = graded(_untimed(block_manager), wrong, confined, SECRET)
    assert (right.verdict, right.backend) == (CodeVerdict.CORRECT, "docker")
    assert partial.verdict is CodeVerdict.PARTIAL


@pytest.mark.parametrize("name", ["copy_to_other_holder", "fork_shares_all_blocks"])
def test_what_a_counter_example_expects_to_work_works_in_a_right_solution(
    block_manager: Exercise, pool: TrustedPool, name: str, monkeypatch: pytest.MonkeyPatch
):
    """Shrinking must not drop the call that a later one rests on."""
    right = ModuleType("block_manager")
    exec(compile(block_manager.reference, "reference.py", "exec"), right.__dict__)
    monkeypatch.setitem(sys.modules, "block_manager", right)
    part = _part(block_manager, "BM5", "BM6", "BM8")
    suite = SuiteRun(part, submission_of(_mutant(block_manager, name).source), pool, SECRET)
    shown = [i.counterexample for i in suite.result(Reveal.COUNTEREXAMPLES).invariants]
    promised = [code for code in shown if code and "# expected: raises" not in code]
    assert promised
    for code in promised:
        exec(code, {})
