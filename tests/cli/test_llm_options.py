"""The LLM judge from the command line, against a scripted server in its own process."""

import json

import pytest

from bench.mock_llm import Fault, MockProcess, Rule, Script
from tests.cli.conftest import GOOD

pytestmark = pytest.mark.slow  # Each command loads litellm, seconds of processor time.

PRICE = ("--price-in", "1", "--price-out", "2")


@pytest.fixture
def server():
    with MockProcess(verdict="tests.cli.scripted:verdict") as process:
        yield process


@pytest.fixture
def batch(run, rubric, tmp_path, server):
    def _batch(count=3, *options, out="p", price=PRICE):
        rows = [
            {"question_id": "decode-floor", "answer_id": f"a{i}", "text": f"{GOOD} Case {i}."}
            for i in range(count)
        ]
        (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return run(
            "grade-batch", "--rubrics", rubric.parent, "--answers", "answers.jsonl",
            "--out", f"{out}.jsonl", "--scores", f"{out}-scores.jsonl", "--judge", "llm",
            "--model", "openai/scripted", "--api-base", server.base_url, *price, *options,
            GRADER_DATA=str(tmp_path / "data"),
        )  # fmt: skip

    return _batch


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_batch_is_judged_with_one_request_an_answer(batch, server, tmp_path):
    done = batch()
    assert done.returncode == 0, done.stderr
    predictions = read(tmp_path / "p.jsonl")
    assert {p["judge"] for p in predictions} == {"llm-1:openai/scripted"}
    assert [p["verdict"] for p in predictions] == ["met"] * 6
    assert server.stats()["requests"] == 3
    assert "3 calls" in done.stderr.decode()


def test_judging_the_same_answers_again_sends_nothing(batch, server, tmp_path):
    assert batch().returncode == 0
    assert batch(3, "--resume").returncode == 0
    assert batch(out="again").returncode == 0
    assert server.stats()["requests"] == 3
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "p.jsonl").read_bytes()


def test_a_dry_run_prints_prompts_and_cost_and_sends_nothing(batch, server, tmp_path):
    done = batch(2, "--dry-run")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert text.count("Every step reads all weights from memory once.") == 1
    assert "Case 0." in text
    assert "Case 1." in text
    assert "2 calls, about" in text
    assert "cost at most $0.0" in text
    assert server.stats()["requests"] == 0
    assert not (tmp_path / "p.jsonl").exists()


def test_a_spent_budget_leaves_answers_open_and_a_larger_one_goes_on(batch, server, tmp_path):
    server.load(Script(cost_usd=0.01))
    done = batch(5, "--budget-usd", "0.02")
    assert done.returncode == 0, done.stderr
    verdicts = [(p["verdict"], *p["reasons"]) for p in read(tmp_path / "p.jsonl")]
    assert verdicts.count(("cannot_assess", "budget")) == 6
    assert server.stats()["requests"] == 2
    assert b"run again with --resume" in done.stderr
    assert batch(5, "--budget-usd", "1", "--resume").returncode == 0
    predictions = read(tmp_path / "p.jsonl")
    assert {p["verdict"] for p in predictions} == {"met"}
    assert len(predictions) == 10
    assert server.stats()["requests"] == 5


def test_in_an_outage_the_offline_judge_answers_and_the_llm_later(batch, server, tmp_path):
    server.load(Script(rules=(Rule(Fault.SERVER_ERROR),)))
    done = batch(2)
    assert done.returncode == 0, done.stderr
    predictions = read(tmp_path / "p.jsonl")
    assert {p["judge"].split("-")[0] for p in predictions} == {"offline"}
    assert all(p["reasons"][0] == "llm_outage" for p in predictions)
    assert all("llm_outage" in s["flags"] for s in read(tmp_path / "p-scores.jsonl"))
    server.load(Script())
    assert batch(2, "--resume").returncode == 0
    assert {p["judge"] for p in read(tmp_path / "p.jsonl")} == {"llm-1:openai/scripted"}


def test_a_wrong_key_is_told_with_its_remedy(batch, server):
    server.load(Script(rules=(Rule(Fault.UNAUTHORISED),)))
    done = batch(2)
    assert done.returncode == 2
    assert b"check the key" in done.stderr


def test_a_model_without_a_price_needs_a_bound(batch, server):
    done = batch(1, price=())
    assert done.returncode == 2
    assert b"--price-in" in done.stderr
    assert batch(1, "--max-tokens", "100000", price=()).returncode == 0


def test_a_panel_of_draws_asks_once_a_seat(run, rubric, server, tmp_path):
    done = run(
        "grade", "--rubric", rubric, "--answer", GOOD, "--json", "--judge", "llm",
        "--model", "openai/scripted", "--api-base", server.base_url, *PRICE, "--panel", "3",
        GRADER_DATA=str(tmp_path / "data"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    grade = json.loads(done.stdout)
    assert {v["judge"].split("(")[0] for v in grade["verdicts"]} == {"panel-1:majority"}
    assert grade["score"] == 100
    assert server.stats()["requests"] == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--judge", "llm"], b"--model"),
        (["--model", "x"], b"add --judge llm"),
        (["--judge", "oracle"], b"no judge 'oracle'"),
        (["--judge", "llm", "--panel", "3"], b"--panel NUMBER needs --model"),
        (["--judge", "llm", "--model", "x", "--panel", "a"], b"say two things"),
        (["--judge", "llm", "--model", "x", "--price-in", "1"], b"belong together"),
        (["--judge", "llm", "--model", "x", "--budget-usd", "-1"], b"no amount"),
        (["--judge", "llm", "--model", "x", "--release", "none.json"], b"grader calibrate"),
    ],
)
def test_options_that_do_not_fit_are_told(run, rubric, options, words):
    done = run("grade", "--rubric", rubric, "--answer", GOOD, *options)
    assert done.returncode == 2
    assert words in done.stderr
