import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from grader.exercises.exercise import Exercise
from grader.exercises.invariant import Cases, Mode
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.lease import Pool
from grader.exercises.receipt import is_genuine
from grader.exercises.result import CheckResult, CodeVerdict, Reveal
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun
from sandbox.errors import RunEnded
from sandbox.observation import Kind, Observation, Raised
from sandbox.ops import Call, New, Op
from sandbox.outcome import Outcome

from .conftest import SECRET
from .fakes import FakePool, ends, gone


def _check(exercise: Exercise, source: str | bytes, pool: Pool, level=Reveal.COUNTEREXAMPLES):
    text = source.encode() if isinstance(source, str) else source
    return SuiteRun(exercise, submission_of(text), pool, SECRET).result(level)


def _outcomes(result: CheckResult) -> dict[str, Outcome]:
    return {item.id: item.outcome for item in result.invariants}


def _right() -> Callable[[Op], Observation]:
    """Answers as the reference does."""
    total = 0

    def answer(op: Op) -> Observation:
        nonlocal total
        match op:
            case New():
                total = 0
                return Observation(Kind.VALUE)
            case Call(name="add", args=(amount,)) if amount < 0:
                return _value_error()
            case Call(name="add", args=(amount,)):
                total += amount
        return Observation(Kind.VALUE, total)

    return answer


def _wrong(op: Op) -> Observation:
    """Answers -1 to everything."""
    return Observation(Kind.VALUE, -1)


def _value_error() -> Observation:
    raised = Raised("ValueError", ("builtins.ValueError",), "negative", ())
    return Observation(Kind.RAISED, raised=raised)


def test_the_reference_is_correct(total: Exercise, pool: TrustedPool):
    result = _check(total, total.reference, pool)
    assert (result.verdict, result.score) == (CodeVerdict.CORRECT, 100.0)
    assert all(item.passed and item.counterexample is None for item in result.invariants)
    assert all(item.cpu_s > 0 and item.peak_mib > 1 for item in result.invariants)


def test_partial_credit_goes_by_weight(total: Exercise, pool: TrustedPool):
    mutant = (total.folder / "mutants" / "added_before_the_check.py").read_bytes()
    result = _check(total, mutant, pool)
    assert (result.verdict, result.score) == (CodeVerdict.PARTIAL, 70.0)
    assert _outcomes(result) == {"TO1": Outcome.PASSED, "TO2": Outcome.FAILED}


def test_a_counter_example_runs_beside_the_learners_file(
    total: Exercise, pool: TrustedPool, tmp_path, monkeypatch, capsys
):
    mutant = (total.folder / "mutants" / "added_before_the_check.py").read_bytes()
    text = _check(total, mutant, pool).invariants[1].counterexample
    assert text is not None
    (tmp_path / "total.py").write_bytes(mutant)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "total", raising=False)
    exec(text, {})
    monkeypatch.delitem(sys.modules, "total")
    printed = capsys.readouterr().out.strip()
    assert f"# got:      {printed}" in text.splitlines()
    assert f"# expected: {printed}" not in text.splitlines()
    assert 3 <= len(text.splitlines()) <= 10


def test_a_file_that_cannot_be_imported_scores_nothing_and_shows_its_own_line(
    total: Exercise, pool: TrustedPool
):
    result = _check(total, "import math\nx = math.nonsense\n", pool)
    assert (result.verdict, result.score) == (CodeVerdict.WRONG, 0.0)
    assert set(_outcomes(result).values()) == {Outcome.ERROR_ON_LOAD}
    shown = result.invariants[0].counterexample or ""
    assert "line 2" in shown
    assert "x = math.nonsense" in shown
    assert "site-packages" not in shown


def test_a_missing_method_scores_nothing_and_is_named(total: Exercise, pool: TrustedPool):
    result = _check(total, "class Total:\n    def add(self, amount): return 1\n", pool)
    assert set(_outcomes(result).values()) == {Outcome.ERROR_ON_LOAD}
    assert "Total.value" in (result.invariants[0].counterexample or "")


def test_an_inherited_method_is_no_missing_one(total: Exercise, pool: TrustedPool):
    source = total.reference.decode().replace("class Total:", "class Base:")
    assert _check(total, source + "\n\nclass Total(Base):\n    pass\n", pool).score == 100.0


def test_doing_nothing_fails_for_want_of_evidence(total: Exercise, pool: TrustedPool):
    idle = (
        "class Total:\n    def add(self, amount): raise ValueError\n    def value(self): return 0\n"
    )
    result = _check(total, idle, pool)
    assert result.score == 0.0


def test_state_that_leaks_between_objects_is_a_failure_not_chance(
    total: Exercise, pool: TrustedPool
):
    leaking = total.reference.decode().replace("self._sum", "Total._sum")
    leaking = leaking.replace("        Total._sum = 0\n", "        pass\n")
    leaking = leaking.replace('whole numbers."""\n', 'whole numbers."""\n\n    _sum = 0\n', 1)
    assert _outcomes(_check(total, leaking, pool))["TO1"] is Outcome.FAILED


def test_what_differs_from_process_to_process_is_nondeterministic(total: Exercise):
    result = _check(total, b"", FakePool([_right(), _wrong, _right()]))
    assert _outcomes(result) == {"TO1": Outcome.NONDETERMINISTIC, "TO2": Outcome.PASSED}
    assert result.score == 30.0


def test_what_fails_again_in_fresh_processes_has_failed(total: Exercise):
    result = _check(total, b"", FakePool([_right(), _wrong, _wrong, _wrong, _right()]))
    assert _outcomes(result) == {"TO1": Outcome.FAILED, "TO2": Outcome.PASSED}


def test_an_endless_loop_fails_its_invariants_by_timeout(total: Exercise, pool: TrustedPool):
    hanging = total.reference.decode().replace(
        'raise ValueError("amount must not be negative")', "while True: pass"
    )
    short = replace(total, examples=(), suite=replace(total.suite, cpu_s=0.6))
    result = _check(short, hanging, pool, Reveal.NAMES)
    assert set(_outcomes(result).values()) == {Outcome.TIMEOUT}


def test_the_call_that_is_never_answered_is_shown(total: Exercise):
    def hangs(op: Op) -> Observation:
        if isinstance(op, Call) and op.args and op.args[0] < 0:
            raise RunEnded(Outcome.TIMEOUT, "over 1 s of CPU time")
        return Observation(Kind.VALUE, 0)

    pool = FakePool([_right(), ends(Outcome.TIMEOUT), _right(), hangs])
    shown = _check(total, b"", pool).invariants[0].counterexample or ""
    last = shown.splitlines()[-3:]
    assert last[0].startswith("print(t.add(-")
    assert last[1:] == ["# expected: an answer", "# got:      timeout: over 1 s of CPU time"]


def test_an_exceeded_limit_is_told_with_its_authors_story(total: Exercise):
    first, second = total.suite.invariants
    timed = Cases(first.cases[0].generate, 1, Mode.ALONE, 2.5, searchable=False, story="add(1)")
    invariants = (replace(first, cases=(timed,)), second)
    pool = FakePool([_right(), ends(Outcome.TIMEOUT), _right()])
    exercise = replace(total, suite=replace(total.suite, invariants=invariants))
    shown = (_check(exercise, b"", pool).invariants[0].counterexample or "").splitlines()
    assert shown[:2] == ["add(1)", "# expected: done within 2.5 s of CPU time"]
    assert shown[2].startswith("# got:      timeout")


def test_what_was_printed_is_shown_cut(total: Exercise, pool: TrustedPool):
    noisy = total.reference.decode().replace(
        "        self._sum += amount\n", "        print('here', amount)\n"
    )
    shown = _check(total, noisy, pool).invariants[0].counterexample or ""
    assert "# the program printed:" in shown
    assert "# here" in shown


@pytest.mark.parametrize("level", list(Reveal))
def test_a_level_reveals_no_more_than_it_says(total: Exercise, pool: TrustedPool, level: Reveal):
    mutant = (total.folder / "mutants" / "last_amount_only.py").read_bytes()
    result = _check(total, mutant, pool, level)
    assert bool(result.invariants) is (level is not Reveal.PUBLIC)
    shown = [item.counterexample for item in result.invariants if item.counterexample]
    assert bool(shown) is (level is Reveal.COUNTEREXAMPLES)
    assert bool(result.receipt.outcomes) is (level is not Reveal.PUBLIC)


def test_every_level_gives_the_same_score(total: Exercise, pool: TrustedPool):
    mutant = (total.folder / "mutants" / "added_before_the_check.py").read_bytes()
    assert {_check(total, mutant, pool, level).score for level in Reveal} == {70.0}


def test_the_receipt_is_signed_and_any_change_shows(total: Exercise, pool: TrustedPool):
    receipt = _check(total, total.reference, pool).receipt
    assert is_genuine(receipt, SECRET)
    assert not is_genuine(receipt, b"another secret of the tests")
    forged = receipt.model_copy(update={"outcomes": {"TO1": "passed", "TO2": "failed"}})
    assert not is_genuine(forged, SECRET)


def test_the_result_has_exactly_the_documented_keys(total: Exercise, pool: TrustedPool):
    data = _check(total, total.reference, pool).model_dump(mode="json")
    assert list(data) == [
        "exercise", "verdict", "score", "invariants", "backend", "proved", "receipt",
    ]  # fmt: skip
    assert list(data["invariants"][0]) == [
        "id", "weight", "passed", "outcome", "counterexample", "cpu_s", "peak_mib",
    ]  # fmt: skip


# faults of ours


def test_a_fault_of_ours_is_tried_again_once_in_a_fresh_box(total: Exercise):
    pool = FakePool([_right(), gone(), _right()])
    result = _check(total, b"", pool)
    assert result.score == 100.0
    assert pool.leases == 2


def test_a_lasting_fault_of_ours_is_never_charged_to_the_learner(total: Exercise):
    result = _check(total, b"", FakePool([_right(), gone()]))
    assert not result.assessed
    assert set(_outcomes(result).values()) == {Outcome.INFRA_ERROR}
    assert {item.verdict.outcome.value for item in result.invariants} == {"cannot_assess"}


def test_a_check_that_raises_is_a_fault_of_ours(total: Exercise, pool: TrustedPool):
    def broken(*_: object) -> None:
        raise TypeError("a mistake in the check")

    first, second = total.suite.invariants
    spoilt = replace(
        total, suite=replace(total.suite, invariants=(replace(first, check=broken), second))
    )
    outcomes = _outcomes(_check(spoilt, total.reference, pool))
    assert outcomes == {"TO1": Outcome.INFRA_ERROR, "TO2": Outcome.PASSED}


# hostile submissions


def test_a_forged_answer_voids_the_whole_submission(total: Exercise):
    result = _check(total, b"", FakePool([_right(), _right(), ends(Outcome.PROTOCOL_ERROR)]))
    assert set(_outcomes(result).values()) == {Outcome.PROTOCOL_ERROR}
    assert (result.verdict, result.score) == (CodeVerdict.WRONG, 0.0)


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.KILLED, Outcome.MEMORY_LIMIT])
def test_a_run_that_ends_early_fails_that_invariant_only(total: Exercise, outcome: Outcome):
    result = _check(total, b"", FakePool([_right(), ends(outcome), _right()]))
    assert _outcomes(result) == {"TO1": outcome, "TO2": Outcome.PASSED}
    assert result.score == 30.0


def test_no_run_starts_once_the_suites_wall_time_is_up(total: Exercise):
    ticks = count(step=1000)
    pool = FakePool([_right()])
    suite = SuiteRun(total, submission_of(b""), pool, SECRET, clock=lambda: float(next(ticks)))
    assert set(_outcomes(suite.result(Reveal.NAMES)).values()) == {Outcome.TIMEOUT}
    assert pool.limits == []


def test_an_import_that_never_ends_is_met_once_and_not_walked_again(total: Exercise):
    class Endless(FakePool):
        def start(self, source, module_name, limits):
            run = super().start(source, module_name, limits)
            run.load = lambda: ends(Outcome.TIMEOUT)(None)
            return run

    pool = Endless([ends(Outcome.TIMEOUT)])
    result = SuiteRun(total, submission_of(b"while True: pass\n"), pool, SECRET).result(
        Reveal.COUNTEREXAMPLES
    )
    assert {item.outcome for item in result.invariants} == {Outcome.TIMEOUT}
    assert len(pool.limits) == 1, "the first look only"
