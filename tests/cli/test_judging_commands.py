"""``grader calibrate``, ``stability`` and ``bias``."""

import json

import pytest

from tests.cli.conftest import GOOD


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def signal(number, **more):
    return {"question_id": "q", "answer_id": f"a{number}", "signal_id": "s", **more}


@pytest.fixture
def predictions(tmp_path):
    rows = [signal(i, verdict="met", confidence=0.96, judge="llm-1:m") for i in range(100)]
    write(tmp_path / "p.jsonl", rows)
    return tmp_path / "p.jsonl"


def test_thresholds_are_fitted_and_written(run, predictions, tmp_path):
    write(tmp_path / "l.jsonl", [signal(i, label="met") for i in range(50)])
    done = run("calibrate", "--predictions", predictions, "--labels", "l.jsonl", "--out", "r.json")
    assert done.returncode == 0, done.stderr
    assert "llm-1:m: confidence >= 0.50: 0 wrong of 50, error <= 5.8%" in done.stdout.decode()
    assert json.loads((tmp_path / "r.json").read_text())["judges"]["llm-1:m"]["threshold"] == 0.5


def test_labels_of_the_review_queue_do_not_count(run, predictions, tmp_path):
    rows = [signal(i, label="met", source="review") for i in range(50)]
    write(tmp_path / "l.jsonl", rows + [signal(i, label="met") for i in range(50, 60)])
    done = run("calibrate", "--predictions", predictions, "--labels", "l.jsonl")
    assert "llm-1:m: no bound yet, 10 of 29" in done.stdout.decode()


def test_an_audit_sample_is_drawn_and_never_overwritten(run, predictions, tmp_path):
    arguments = ("calibrate", "--predictions", predictions, "--audit", "a.jsonl", "--share", "0.3")
    done = run(*arguments, GRADER_SECRET="0123456789abcdef")
    assert done.returncode == 0, done.stderr
    drawn = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert 15 <= len(drawn) <= 45
    assert set(drawn[0]) == {"question_id", "answer_id", "signal_id"}
    assert run(*arguments, GRADER_SECRET="0123456789abcdef").returncode == 2


def test_calibrate_wants_labels_or_a_sample(run, predictions):
    done = run("calibrate", "--predictions", predictions)
    assert done.returncode == 2
    assert b"either --labels" in done.stderr


@pytest.fixture
def answers(tmp_path):
    rows = [
        {"question_id": "decode-floor", "answer_id": f"a{i}", "text": f"{GOOD} Case {i}."}
        for i in range(6)
    ]
    write(tmp_path / "answers.jsonl", rows)
    return tmp_path / "answers.jsonl"


def test_the_offline_judge_never_flips(run, rubric, answers):
    done = run("stability", "--rubrics", rubric.parent, "--answers", answers, "--sample", "4",
               "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["answers"], report["flips"]) == (4, 0)


def test_bias_reports_a_shift_for_each_change_of_form(run, rubric, answers):
    done = run("bias", "--rubrics", rubric.parent, "--answers", answers)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "length padding",
        "informal style",
        "names",
        "signal order",
    ]
    assert "signal order: +0.0 points" in lines[3]


def test_a_bad_row_is_told(run, rubric, tmp_path):
    (tmp_path / "answers.jsonl").write_text("{}\n")
    done = run("stability", "--rubrics", rubric.parent, "--answers", "answers.jsonl")
    assert done.returncode == 2
    assert b"line 1: question_id" in done.stderr


def test_what_is_not_released_is_marked_for_a_person(run, rubric, answers, tmp_path):
    arguments = ("grade-batch", "--rubrics", rubric.parent, "--answers", answers)
    assert run(*arguments, "--out", "p.jsonl").returncode == 0
    predictions = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert all("not_released" not in p["reasons"] for p in predictions)
    write(tmp_path / "l.jsonl", [{**predictions[0], "label": predictions[0]["verdict"]}])
    fitted = ("calibrate", "--predictions", "p.jsonl", "--labels", "l.jsonl", "--out", "r.json")
    assert run(*fitted).returncode == 0
    assert run(*arguments, "--out", "q.jsonl", "--release", "r.json").returncode == 0
    marked = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    decided = [m for m in marked if m["verdict"] != "cannot_assess"]
    assert decided
    assert all("not_released" in m["reasons"] for m in decided)
