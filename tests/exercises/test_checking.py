import json
from pathlib import Path

import pytest

from grader.errors import InputError
from grader.exercises.checking import check_many, check_submission, files_below
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.result import CodeVerdict

from .conftest import SECRET


@pytest.fixture
def answers(tmp_path: Path, total_folder: Path) -> Path:
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "right.txt").write_bytes((total_folder / "reference.py").read_bytes())
    (folder / "unreadable.py").write_bytes(b"\xff\xfe")
    wrong = total_folder / "mutants" / "last_amount_only.py"
    (folder / "wrong").write_bytes(wrong.read_bytes())
    return folder


def _run(total_folder: Path, answers: Path, out: Path, pool: TrustedPool):
    return dict(check_many(total_folder, files_below(answers), out, secret=SECRET, pool=pool))


def _lines(out: Path):
    return {entry["file"]: entry for entry in map(json.loads, out.read_text().splitlines())}


def test_each_file_gets_a_line_with_its_result_or_its_error(
    total_folder: Path, answers: Path, tmp_path: Path, pool: TrustedPool
):
    out = tmp_path / "results.jsonl"
    results = _run(total_folder, answers, out, pool)
    lines = _lines(out)
    assert results["right.txt"].verdict is CodeVerdict.CORRECT
    assert lines["right.txt"]["result"]["score"] == 100.0
    assert lines["wrong"]["result"]["verdict"] == "wrong"
    assert "not UTF-8" in lines["unreadable.py"]["error"]


def test_a_batch_taken_up_again_does_only_what_is_missing(
    total_folder: Path, answers: Path, tmp_path: Path, pool: TrustedPool
):
    out = tmp_path / "results.jsonl"
    _run(total_folder, answers, out, pool)
    whole = out.read_bytes()
    out.write_bytes(whole[:-40])
    again = _run(total_folder, answers, out, pool)
    assert again["right.txt"] is None
    assert again["wrong"] is not None
    assert _lines(out)["wrong"]["result"]["score"] == 0.0


def test_a_changed_file_is_graded_again(
    total_folder: Path, answers: Path, tmp_path: Path, pool: TrustedPool
):
    out = tmp_path / "results.jsonl"
    _run(total_folder, answers, out, pool)
    (answers / "wrong").write_bytes((answers / "right.txt").read_bytes())
    assert _run(total_folder, answers, out, pool)["wrong"].verdict is CodeVerdict.CORRECT


def test_equal_submissions_get_equal_verdicts(total_folder: Path, pool: TrustedPool):
    mutant = (total_folder / "mutants" / "last_amount_only.py").read_bytes()
    results = [
        check_submission(total_folder, source, secret=SECRET, pool=pool)
        for source in (mutant, mutant, b"# mine\n" + mutant)
    ]
    assert len({r.receipt.seed_commitment for r in results}) == 1
    assert len({r.score for r in results}) == 1


@pytest.mark.parametrize("folder", ["no such folder", "wrong"])
def test_a_batch_needs_a_folder(answers: Path, folder: str):
    with pytest.raises(InputError, match="no folder"):
        files_below(answers / folder)


def test_files_are_named_by_their_path_and_hidden_ones_are_left_out(tmp_path: Path):
    for name in ("b/x.py", "a.py", ".hidden", ".git/config", "b/.swp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert list(files_below(tmp_path)) == ["a.py", "b/x.py"]
