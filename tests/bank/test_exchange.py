"""Spreadsheets and Markdown: what goes out comes back."""

import csv
import io

import pytest

from grader.bank.exchange.markdown import from_markdown, to_markdown
from grader.bank.exchange.spreadsheet import COLUMNS, from_csv, to_csv
from grader.bank.load import load_bank
from grader.bank.version import rubric_version
from grader.domain.question import Question
from grader.errors import RubricError
from grader.settings import shipped_bank

QUESTIONS = [file.question for file in load_bank(shipped_bank())]
AWKWARD = Question.model_validate(
    {
        "id": "awkward",
        "topic": "t",
        "prompt": "=SUM(A1)\n\n## Prompt\n### s (+1)\n\\## already\nlast",
        "signals": [
            {"id": "s", "statement": "-1 is negative, \"quoted\"", "weight": 1, "kind": "positive",
             "accept": ["@x", "'y'"], "terms": [["a: b", "- c"], ["'"]], "probe": "why # so?"},
            {"id": "n", "statement": "+1", "weight": 2, "kind": "negative"},
        ],
    }
)  # fmt: skip


def same(a, b):
    """Equal but for the line breaks inside statements and phrasings, which carry no meaning."""

    def folded(value):
        if isinstance(value, str):
            return " ".join(value.split())
        if isinstance(value, dict):
            return {k: folded(v) for k, v in value.items()}
        return [folded(v) for v in value] if isinstance(value, list) else value

    return folded(a.model_dump(mode="json")) == folded(b.model_dump(mode="json"))


@pytest.mark.parametrize("question", [*QUESTIONS, AWKWARD], ids=lambda q: q.id)
def test_markdown_comes_back_whole(question):
    assert same(from_markdown(to_markdown(question)), question)


def test_a_bank_as_csv_comes_back_whole():
    back = from_csv(to_csv([*QUESTIONS, AWKWARD]))
    assert [q.id for q in back] == [q.id for q in (*QUESTIONS, AWKWARD)]
    assert all(same(a, b) for a, b in zip(back, (*QUESTIONS, AWKWARD), strict=True))


def test_the_rubric_version_survives_both_ways():
    assert rubric_version(from_markdown(to_markdown(AWKWARD))) == rubric_version(AWKWARD)
    assert rubric_version(from_csv(to_csv([AWKWARD]))[0]) == rubric_version(AWKWARD)


def test_no_cell_is_a_formula():
    rows = csv.reader(io.StringIO(to_csv([*QUESTIONS, AWKWARD])))
    cells = [cell for row in rows for cell in row]
    assert not [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r"))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,nope\nx,y\n", "unknown column 'nope'"),
        ("id,topic\n,t\n", "row 2: id is missing"),
        ("id,topic,prompt,signal_id,signal_statement,signal_weight,signal_kind\n"
         "q,t,p,s,x,heavy,positive\n", "question of row 2: signals.0.weight"),
        ("id,topic,source\nq,t,[1\n", "row 2: source is not JSON"),
    ],
)  # fmt: skip
def test_a_spreadsheet_that_cannot_be_read_names_row_and_column(text, words):
    with pytest.raises(RubricError) as caught:
        from_csv(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# x", "no front matter"),
        ("---\n- a\n---\n", "no keys"),
        ("---\nid: a\ntopic: t\n---\n## Prompt\nx\n## Nope\ny\n", "unknown heading 'Nope'"),
        ("---\nid: a\ntopic: t\n---\n## Prompt\nx\n## Signals\nlost\n", "before the first signal"),
        ("---\nid: a\ntopic: t\n---\n## Prompt\nx\n", "signals"),
    ],
)
def test_markdown_that_is_no_question_says_why(text, words):
    with pytest.raises(RubricError) as caught:
        from_markdown(text)
    assert words in str(caught.value)


def test_columns_are_named_once():
    assert len(set(COLUMNS)) == len(COLUMNS)
