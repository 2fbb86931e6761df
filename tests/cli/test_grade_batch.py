"""``grader grade-batch``: rows in, rows out, nothing lost, nothing doubled."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter

import pytest

from grader.cli.batch_output import answer_key
from tests.cli.conftest import GOOD


@pytest.fixture
def batch(run, rubric, tmp_path):
    def _batch(rows, *options, **environment):
        lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in rows]
        (tmp_path / "answers.jsonl").write_bytes(b"\n".join(lines) + b"\n")
        return run(
            "grade-batch", "--rubrics", rubric.parent, "--answers", "answers.jsonl",
            "--out", "predictions.jsonl", "--scores", "scores.jsonl", *options, **environment,
        )  # fmt: skip

    return _batch


def row(number, text=GOOD, **more):
    return {"question_id": "decode-floor", "answer_id": f"a{number}", "text": text, **more}


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_signal_gives_a_prediction_and_each_answer_a_score(batch, tmp_path):
    done = batch([row(1), row(2, "")])
    assert done.returncode == 0, done.stderr
    predictions = read(tmp_path / "predictions.jsonl")
    assert [(p["answer_id"], p["signal_id"]) for p in predictions] == [
        ("a1", "reads-weights"),
        ("a1", "bandwidth"),
        ("a2", "reads-weights"),
        ("a2", "bandwidth"),
    ]
    assert set(predictions[0]) == {
        "question_id", "answer_id", "signal_id", "verdict", "confidence", "evidence", "reasons",
        "judge", "rubric_version",
    }  # fmt: skip
    scores = read(tmp_path / "scores.jsonl")
    assert [set(s) for s in scores] == [
        {"question_id", "answer_id", "score", "low", "high", "flags"}
    ] * 2
    assert scores[0]["score"] > 0
    assert scores[1]["score"] == 0


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b"{", "not a JSON object"),
        (b"[1]", "row"),
        (b'{"question_id": "decode-floor", "answer_id": "x"}', "text"),
        (b'{"question_id": "decode-floor", "answer_id": 3, "text": "x"}', "answer_id"),
        (b'{"question_id": "nope", "answer_id": "x", "text": "x"}', "no question 'nope'"),
        (b'{"question_id": "decode-floor", "answer_id": "a1", "text": "x"}', "stands twice"),
        (b'{"question_id": "decode-floor", "answer_id": "\\ud800", "text": "x"}', "surrogates"),
        (b"\xff\xfe", "not a JSON object"),
        (b"[" * 100_000, "not a JSON object"),
    ],
)
def test_a_bad_row_is_told_with_its_line_and_does_not_stop_the_rest(batch, tmp_path, bad, words):
    done = batch([row(1), bad, row(2)])
    assert done.returncode == 2
    assert "line 2: " in done.stderr.decode()
    assert words in done.stderr.decode()
    assert [s["answer_id"] for s in read(tmp_path / "scores.jsonl")] == ["a1", "a2"]


def test_a_text_with_unpaired_surrogates_is_repaired_and_graded(batch, tmp_path):
    line = json.dumps(row(1, "\ud800" + GOOD)).encode()
    assert batch([line]).returncode == 0
    (score,) = read(tmp_path / "scores.jsonl")
    assert "text_repaired" in score["flags"]
    assert score["score"] > 0


def test_results_are_never_overwritten_unasked(batch, tmp_path):
    assert batch([row(1)]).returncode == 0
    before = (tmp_path / "predictions.jsonl").read_bytes()
    done = batch([row(1)])
    assert done.returncode == 2
    assert "--resume" in done.stderr.decode()
    assert (tmp_path / "predictions.jsonl").read_bytes() == before


def test_resume_cuts_a_torn_tail_and_grades_only_what_is_missing(batch, tmp_path):
    rows = [row(i) for i in range(6)]
    assert batch(rows).returncode == 0
    whole = {name: (tmp_path / name).read_bytes() for name in ("predictions.jsonl", "scores.jsonl")}
    predictions = whole["predictions.jsonl"].splitlines(keepends=True)
    # Three answers whole, the fourth with one of two rows, then half a line.
    torn = b"".join(predictions[:7]) + predictions[7][:20]
    (tmp_path / "predictions.jsonl").write_bytes(torn)
    (tmp_path / "scores.jsonl").write_bytes(
        b"".join(whole["scores.jsonl"].splitlines(keepends=True)[:3])
    )
    assert batch(rows, "--resume").returncode == 0
    for name, content in whole.items():
        assert (tmp_path / name).read_bytes() == content


def test_resume_with_another_rubric_is_refused(batch, rubric, tmp_path):
    assert batch([row(1)]).returncode == 0
    rubric.write_text(rubric.read_text().replace("weight: 3", "weight: 4"))
    done = batch([row(1)], "--resume")
    assert done.returncode == 2
    assert "another version of 'decode-floor'" in done.stderr.decode()


def test_a_run_killed_at_any_moment_resumes_with_nothing_lost_or_doubled(rubric, tmp_path):
    count = 400
    rows = [json.dumps(row(i)) for i in range(count)]
    (tmp_path / "answers.jsonl").write_text("\n".join(rows))
    command = [
        sys.executable, "-m", "grader.cli", "grade-batch", "--rubrics", str(rubric.parent),
        "--answers", "answers.jsonl", "--out", "p.jsonl", "--scores", "s.jsonl", "--resume",
    ]  # fmt: skip
    for stop_after in (1, 40, 150):
        process = subprocess.Popen(command, cwd=tmp_path)
        _wait_for_lines(tmp_path / "s.jsonl", stop_after, process)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    counts = Counter(p["answer_id"] for p in read(tmp_path / "p.jsonl"))
    assert counts == Counter({f"a{i}": 2 for i in range(count)})
    assert [s["answer_id"] for s in read(tmp_path / "s.jsonl")] == [f"a{i}" for i in range(count)]


def _wait_for_lines(path, count, process):
    """Returns when the file has so many lines or the process has ended, woken by its writes."""
    while process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        os.sched_yield()


def test_answer_keys_tell_any_two_answers_apart():
    pairs = [("a", "bc"), ("ab", "c"), ("a,", "b"), ("a", ",b"), ('a"', "b"), ("a", '"b')]
    assert len({answer_key(*pair) for pair in pairs}) == len(pairs)
