"""``grader grade``: its three ways of taking an answer, its JSON, its exit statuses."""

import json
from pathlib import Path

import jsonschema
import pytest

from grader.domain.grade import Grade
from tests.cli.conftest import GOOD

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "grade.schema.json"


def test_the_published_schema_is_the_models_own():
    assert json.loads(SCHEMA.read_text()) == Grade.model_json_schema(mode="serialization")


@pytest.mark.parametrize("how", ["text", "file", "stdin"])
def test_an_answer_is_taken_as_text_file_or_standard_input(run, rubric, tmp_path, how):
    (tmp_path / "answer.txt").write_text(GOOD, encoding="utf-8-sig")
    argument = {"text": GOOD, "file": "@answer.txt", "stdin": "-"}[how]
    stdin = GOOD.encode() if how == "stdin" else b""
    done = run("grade", "--rubric", rubric, "--answer", argument, "--json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    grade = json.loads(done.stdout)
    jsonschema.validate(grade, json.loads(SCHEMA.read_text()))
    assert grade["score"] > 0
    assert any(verdict["evidence"] for verdict in grade["verdicts"])
    for verdict in grade["verdicts"]:
        for evidence in verdict["evidence"]:
            assert GOOD[evidence["start"] : evidence["end"]] == evidence["quote"]


def test_the_card_shows_marks_evidence_and_the_next_question(run, rubric):
    answer = "The step is memory bound, bandwidth sets the floor. My cat disagrees with that view."
    done = run("grade", "--rubric", rubric, "--answer", answer)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "The floor of a decode step" in text
    assert "✓" in text
    assert "[2]" in text
    assert "What has to travel to the compute units each time?" in text
    assert "offline" in text


def test_a_question_of_the_shipped_bank_is_found_by_its_id(run):
    listed = run("bank", "list", "--json")
    first = json.loads(listed.stdout.splitlines()[0])["id"]
    done = run("grade", "--question", first, "--answer", "I do not know.", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["question_id"] == first


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--question", "nope", "--answer", "x"], "no question 'nope'"),
        (["--answer", "x"], "either --question ID or --rubric"),
        (["--rubric", "nope.yaml", "--answer", "x"], "no file 'nope.yaml'"),
        (["--rubric", "{rubric}", "--answer", "@nope.txt"], "cannot be read"),
        (["--rubric", "{rubric}", "--answer", "x", "--judge", "oracle"], "no judge 'oracle'"),
        (["--rubric", "{rubric}"], "--answer"),
    ],
)
def test_bad_input_is_told_with_status_2(run, rubric, arguments, words):
    done = run("grade", *(str(rubric) if a == "{rubric}" else a for a in arguments))
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert done.stdout == b""


def test_an_answer_that_is_not_utf8_is_bad_input(run, rubric):
    done = run("grade", "--rubric", rubric, "--answer", "-", stdin=b"\xff\xfe")
    assert done.returncode == 2
    assert "not UTF-8 (byte 0)" in done.stderr.decode()


def test_a_broken_rubric_names_file_line_and_key(run, rubric):
    rubric.write_text(rubric.read_text().replace("weight: 3", "wieght: 3"))
    done = run("grade", "--rubric", rubric, "--answer", "x")
    assert done.returncode == 2
    assert "decode-floor.yaml:8: signals.0.wieght: unknown key" in done.stderr.decode()
    assert "'weight'" in done.stderr.decode()


def test_an_empty_answer_earns_nothing_and_is_no_error(run, rubric):
    done = run("grade", "--rubric", rubric, "--answer", "", "--json")
    grade = json.loads(done.stdout)
    assert (done.returncode, grade["score"], grade["high"]) == (0, 0, 0)
    assert "blank" in grade["flags"]
