"""Writing question files."""

import pytest

from grader.bank.load import load_bank, load_question
from grader.bank.version import file_version
from grader.bank.write import question_template, write_new, write_question
from grader.errors import InputError, RubricError
from grader.settings import shipped_bank

QUESTIONS = [file.question for file in load_bank(shipped_bank())]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_a_written_question_reads_back_the_same(question, tmp_path):
    path = write_question(question, tmp_path)
    assert path == tmp_path / question.topic / f"{question.id}.yaml"
    assert file_version(load_question(path).question) == file_version(question)


def test_no_file_is_written_over(tmp_path):
    write_question(QUESTIONS[0], tmp_path)
    with pytest.raises(InputError, match="there already"):
        write_question(QUESTIONS[0], tmp_path)


def test_the_template_is_a_legal_question_of_that_name(tmp_path):
    path = write_new(tmp_path / "q.yaml", question_template("my-question", "kv-cache"))
    question = load_question(path).question
    assert (question.id, question.topic) == ("my-question", "kv-cache")


@pytest.mark.parametrize("bad", ["", "two words", "a/b", "x: y"])
def test_a_template_for_an_illegal_id_is_refused(bad):
    with pytest.raises(RubricError):
        question_template(bad, "t")
