import sys
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.kit.mutants import mutants_of
from grader.exercises.kit.scaffold import new_exercise
from grader.exercises.kit.trial import examples_as_code, try_submission
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.kit.verify import verify
from grader.exercises.kit.zero_effort import idle_submissions
from grader.exercises.source import ExerciseError
from grader.exercises.submission import submission_of

from .conftest import SECRET


def test_a_new_exercise_verifies(total: Exercise, pool: TrustedPool):
    told: list[str] = []
    found = verify(total, pool, SECRET, seeds=2, progress=told.append)
    assert found.faults() == []
    assert {row.mutant for row in found.matrix} == {"added_before_the_check", "last_amount_only"}
    assert [room.invariant for room in found.head_room] == ["TO1", "TO2"]
    assert "reference" in told


def test_a_mutant_that_survives_is_a_fault(copied: Path, pool: TrustedPool):
    mutant = copied / "mutants" / "last_amount_only.py"
    text = (copied / "reference.py").read_text()
    mutant.write_text(text.replace('"""A right solution."""', '"""Kills: TO1. Not at all."""'))
    faults = verify(load_exercise(copied), pool, SECRET, seeds=1).faults()
    assert any("mutant last_amount_only survives TO1" in fault for fault in faults)


def test_an_invariant_without_evidence_of_work_is_a_fault(copied: Path, pool: TrustedPool):
    invariants = copied / "invariants.py"
    text = invariants.read_text().replace('{"refused": 1, "looked": 1}', "{}")
    text = text.replace("wrong = value_mismatch(got, total)", "wrong = None")
    invariants.write_text(text)
    faults = verify(load_exercise(copied), pool, SECRET, seeds=1).faults()
    assert any("without work" in fault and "guarded" in fault for fault in faults)


def test_a_mutant_must_name_its_killers(copied: Path):
    (copied / "mutants" / "anonymous.py").write_text('"""Wrong somehow."""\n')
    with pytest.raises(ExerciseError, match="Kills: "):
        mutants_of(load_exercise(copied))


def test_idle_submissions_are_of_every_kind(block_manager: Exercise):
    names = {idle.name for idle in idle_submissions(block_manager)}
    for kind in ("none", "empty", "argument", "part", "previous", "0", "1", "-1", "NaN"):
        assert {f"bare {kind}", f"guarded {kind}"} <= names
    assert {f"guarded raises {e}" for e in ("ValueError", "KeyError", "OutOfBlocks")} <= names


def test_trying_a_file_runs_the_public_examples_alone(total: Exercise, pool: TrustedPool):
    right = try_submission(total, submission_of(total.reference), pool)
    assert (right.fatal, right.examples) == (None, {})
    mutant = (total.folder / "mutants" / "last_amount_only.py").read_bytes()
    wrong = try_submission(total, submission_of(mutant), pool)
    assert wrong.examples == {"two amounts": "t.add(3)  # expected: 5, got: 3"}


def test_public_examples_run_as_python(total: Exercise, tmp_path: Path, monkeypatch, capsys):
    (tmp_path / "total.py").write_bytes(total.reference)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "total", raising=False)
    exec(examples_as_code(total)["two amounts"], {})
    monkeypatch.delitem(sys.modules, "total")
    assert capsys.readouterr().out.split() == ["2", "5", "ValueError", "5"]


@pytest.mark.parametrize("name", ["a-b", "1st", "with space"])
def test_a_new_exercise_needs_a_python_name(tmp_path: Path, name: str):
    with pytest.raises(InputError, match="no Python name"):
        new_exercise(tmp_path / name)


def test_nothing_is_overwritten_by_a_new_exercise(copied: Path):
    with pytest.raises(InputError, match="is there already"):
        new_exercise(copied)
