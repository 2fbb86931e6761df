"""``grader check``, ``check-batch`` and ``exercise``: inputs, statuses, output."""

import json
import os
from pathlib import Path

import pytest

from grader.cli.check_batch import exercise_in
from grader.cli.exercise_choice import exercise_folder
from grader.settings import shipped_bank

BLOCKS = shipped_bank() / "coding" / "block_manager"
RIGHT = BLOCKS / "reference.py"
WRONG = BLOCKS / "mutants" / "copy_to_other_holder.py"


@pytest.mark.bwrap
def test_a_right_and_a_wrong_submission(run):
    right = run("check", "block_manager", RIGHT, "--backend", "bwrap", "--json")
    assert right.returncode == 0, right.stderr
    result = json.loads(right.stdout)
    assert set(result) == {
        "exercise", "verdict", "score", "invariants", "backend", "proved", "receipt",
    }  # fmt: skip
    assert (result["verdict"], result["score"], result["backend"]) == ("correct", 100, "bwrap")
    assert set(result["invariants"][0]) == {
        "id", "weight", "passed", "outcome", "counterexample", "cpu_s", "peak_mib",
    }  # fmt: skip
    wrong = run("check", "block_manager", WRONG, "--backend", "bwrap")
    assert wrong.returncode == 0, wrong.stderr
    text = wrong.stdout.decode()
    assert "partial" in text
    assert "BM3 fails here" in text
    assert "from block_manager import BlockManager" in text


@pytest.mark.bwrap
def test_a_batch_finds_exercises_in_paths_and_resumes(run, tmp_path):
    (tmp_path / "in" / "block_manager").mkdir(parents=True)
    (tmp_path / "in" / "block_manager" / "anna.py").write_bytes(RIGHT.read_bytes())
    (tmp_path / "in" / "notes.md").write_text("no exercise")
    done = run("check-batch", "in", "--out", "r.jsonl", "--backend", "bwrap")
    assert done.returncode == 2
    assert "notes.md: no exercise in its path" in done.stderr.decode()
    (line,) = (tmp_path / "r.jsonl").read_text().splitlines()
    row = json.loads(line)
    assert (row["file"], row["exercise"]) == ("block_manager/anna.py", "block_manager")
    assert row["result"]["verdict"] == "correct"
    run("check-batch", "in", "--out", "r.jsonl", "--backend", "bwrap")
    assert (tmp_path / "r.jsonl").read_text().splitlines() == [line]


@pytest.mark.bwrap
def test_public_examples_can_be_tried(run):
    done = run("exercise", "try", "block_manager", BLOCKS / "starter.py", "--backend", "bwrap")
    assert done.returncode == 0, done.stderr
    assert "public examples hold" in done.stdout.decode()


def bad_file(tmp_path, kind):
    path = tmp_path / "submission.py"
    if kind == "large":
        path.write_bytes(b"#" * (1 << 20) + b"\n")
    elif kind == "latin":
        path.write_bytes(b"x = '\xe9'\n")
    elif kind == "nul":
        path.write_bytes(b"x = 1\x00\n")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    return path


@pytest.mark.parametrize("kind", ["large", "latin", "nul", "pipe", "folder", "missing"])
def test_what_is_no_submission_is_bad_input(run, tmp_path, kind):
    done = run("check", "block_manager", bad_file(tmp_path, kind))
    assert done.returncode == 2, done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["block_manger", str(RIGHT)], "did you mean block_manager"),
        (["block_manager", str(RIGHT), "--backend", "none"], "no backend 'none'"),
    ],
)
def test_unknown_names_are_bad_input(run, arguments, words):
    done = run("check", *arguments)
    assert done.returncode == 2
    assert words in done.stderr.decode()


def test_without_any_backend_nothing_runs_and_the_status_is_3(run, tmp_path):
    # An empty PATH and a dead socket: neither bubblewrap nor an engine can be found.
    nowhere = {"PATH": str(tmp_path), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    done = run("check", "block_manager", RIGHT, **nowhere)
    assert done.returncode == 3
    assert "bubblewrap" in done.stderr.decode()
    assert done.stdout == b""


def test_a_new_exercise_is_written_once(run, tmp_path):
    assert run("exercise", "new", "tally").returncode == 0
    assert (tmp_path / "tally" / "question.yaml").is_file()
    again = run("exercise", "new", "tally")
    assert again.returncode == 2
    assert "there already" in again.stderr.decode()


def test_a_folder_here_does_not_take_the_place_of_an_exercise_of_the_bank(tmp_path, monkeypatch):
    (tmp_path / "block_manager").mkdir()
    (tmp_path / "block_manager" / "question.yaml").write_text("planted")
    monkeypatch.chdir(tmp_path)
    assert exercise_folder("block_manager") == BLOCKS


@pytest.mark.slow
def test_the_template_exercise_proves_itself(run):
    assert run("exercise", "new", "tally").returncode == 0
    done = run("exercise", "verify", "tally", "--seeds", "2")
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert ", 0 faults" in done.stdout.decode()


KNOWN = {name: Path() for name in ("kv_cache", "block_manager", "cache")}


@pytest.mark.parametrize(
    ("name", "exercise"),
    [
        ("kv_cache.py", "kv_cache"),
        ("block_manager/anna.py", "block_manager"),
        ("block_manager/week2/kv_cache.py", "block_manager"),
        ("anna/kv_cache_final.py", "kv_cache"),
        ("anna_block_manager.py", "block_manager"),
        ("readme.md", None),
    ],
)
def test_the_nearest_folder_or_the_file_name_tells_the_exercise(name, exercise):
    assert exercise_in(name, KNOWN) == exercise
