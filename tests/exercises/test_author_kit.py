import sys
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.kit.mutants import MatrixRow, graded, kill_matrix, mutants_of
from grader.exercises.kit.scaffold import new_exercise
from grader.exercises.kit.trial import examples_as_code, try_submission
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.kit.verify import Flake, HeadRoom, Verification, verify
from grader.exercises.kit.zero_effort import MOST_POINTS, IdleScore, idle_submissions
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


def test_a_mutant_that_survives_is_seen(copied: Path, pool: TrustedPool):
    mutant = copied / "mutants" / "last_amount_only.py"
    text = (copied / "reference.py").read_text()
    mutant.write_text(text.replace('"""A right solution."""', '"""Kills: TO1. Not at all."""'))
    exercise = load_exercise(copied)
    rows = {r.mutant: r for r in kill_matrix(exercise, mutants_of(exercise), pool, SECRET)}
    assert rows["last_amount_only"].survived == ("TO1",)
    assert rows["added_before_the_check"].survived == ()


def test_every_kind_of_fault_is_told():
    found = Verification(
        matrix=(MatrixRow("m", (), ("TO1",), 100.0),),
        flakes=(Flake("reference", "TO2", 3),),
        head_room=(HeadRoom("TO1", 2.0, 5.0, 10.0, 256), HeadRoom("TO2", 0.1, 5.0, 300.0, 256)),
        idle=(IdleScore("bare none", 15.0, ()), IdleScore("bare 0", 15.1, ("TO1",))),
    )
    faults = found.faults()
    assert len(faults) == 5
    assert "mutant m survives TO1" in faults[0]
    assert "TO2 comes out wrong on 3 seeds" in faults[1]
    assert "2.0 of 5.00 CPU s" in faults[2]
    assert "300.0 of 256 MiB" in faults[3]
    assert "(bare 0) gets 15.1" in faults[4]


def test_an_invariant_without_evidence_of_work_is_found_out(copied: Path, pool: TrustedPool):
    invariants = copied / "invariants.py"
    text = invariants.read_text().replace('{"refused": 1, "looked": 1}', "{}")
    text = text.replace("wrong = value_mismatch(got, total)", "wrong = None")
    invariants.write_text(text)
    exercise = load_exercise(copied)
    idle = next(i for i in idle_submissions(exercise) if i.name == "guarded none")
    assert graded(exercise, idle.source, pool, SECRET).score > MOST_POINTS


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


def test_public_examples_may_hold_arrays(copied: Path, pool: TrustedPool):
    (copied / "public.py").write_text(
        "import numpy as np\n"
        "from grader.exercises.authoring import Call, Example, Line, New, given\n"
        "ARRAY = given(np.array([2.0, 3.0]))\n"
        'EXAMPLES = (Example("an array", (Line(New("t", "Total")),'
        ' Line(Call("add", (ARRAY,), on="t"), 5))),)\n'
    )
    exercise = load_exercise(copied)
    found = try_submission(exercise, submission_of(exercise.reference), pool)
    assert found.examples is not None
    assert "t.add(np.array([2., 3.], np.float64))" in found.examples["an array"]
    code = examples_as_code(exercise)["an array"]
    assert code.startswith("import numpy as np\nfrom total import Total\n")
    compile(code, "example", "exec")
