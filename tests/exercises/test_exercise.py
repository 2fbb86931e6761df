from pathlib import Path

import pytest

from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.invariant import Cases, Invariant, Mode, Suite
from grader.exercises.source import ExerciseError


def test_names_members_and_parameters_come_from_the_starter(block_manager: Exercise):
    manager = block_manager.names["BlockManager"]
    assert manager.parameters == ("num_blocks", "block_size")
    assert manager.members["fork"].parameters == ("parent_id", "child_id", "num_tokens")
    assert block_manager.names["OutOfBlocks"].is_error


def test_two_banks_may_hold_exercises_of_one_name(total_folder: Path, copied: Path):
    first, second = load_exercise(total_folder), load_exercise(copied)
    assert first.id == second.id
    assert first.suite.invariants[0].check is not second.suite.invariants[0].check


def test_the_version_changes_with_every_file_that_decides_a_verdict(copied: Path):
    before = load_exercise(copied).version
    (copied / "mutants" / "other.py").write_text('"""Kills: TO1."""\n')
    assert load_exercise(copied).version == before
    with (copied / "operations.py").open("a") as file:
        file.write("\n# another comment\n")
    assert load_exercise(copied).version != before


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("question.yaml", "weight: 30", "weight: 20", "sum to 90"),
        ("question.yaml", "id: TO2", "id: TO3", "differ"),
        ("question.yaml", "kind: coding", "kind: discussion", "kind must be coding"),
        ("question.yaml", "exercise: total", "exercise: a-b", "Python name"),
        ("invariants.py", "SUITE = ", "OTHER = ", "SUITE must be a Suite"),
        ("invariants.py", "from .operations", "from .nowhere", "cannot be imported"),
        ("starter.py", "class Total:", "class _Total:", "no public class"),
        ("starter.py", "class Total:", "class Total", "starter.py:4"),
    ],
)
def test_what_does_not_fit_together_is_said(copied: Path, file, old, new, why):
    text = (copied / file).read_text()
    (copied / file).write_text(text.replace(old, new, 1))
    with pytest.raises(ExerciseError, match=why):
        load_exercise(copied)


@pytest.mark.parametrize("file", ["starter.py", "reference.py", "public.py", "invariants.py"])
def test_a_missing_file_is_named(copied: Path, file: str):
    (copied / file).unlink()
    with pytest.raises(ExerciseError, match=file):
        load_exercise(copied)


def test_a_missing_folder_is_named(tmp_path: Path):
    with pytest.raises(ExerciseError, match="no exercise folder"):
        load_exercise(tmp_path / "none")


def test_stated_costs_are_given_in_full_and_the_rest_but_a_thirtieth_in_equal_parts():
    def cases(**given) -> tuple[Cases, ...]:
        return (Cases(lambda c: None, 2, **given),)

    stated = Invariant("C", lambda *_: None, cases(mode=Mode.ALONE, cpu_s=5))
    plain = [Invariant(i, lambda *_: None, cases()) for i in "AB"]
    mixed = Invariant("D", lambda *_: None, (*cases(), *cases(mode=Mode.ALONE, cpu_s=1)))
    suite = Suite(cpu_s=30, invariants=(*plain, stated, mixed))
    equal = (30 - 1 - 10 - 2) / 3
    assert [suite.share_s(i) for i in suite.invariants] == pytest.approx(
        [equal, equal, 10, equal + 2]
    )
