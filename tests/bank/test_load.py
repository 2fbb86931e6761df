"""Loading question files: what is legal, and errors that say where and what to do."""

import pytest

from grader.bank.load import find_question, load_bank, load_question
from grader.errors import QuestionUnknownError, RubricError

MINIMAL = """\
id: a
topic: t
prompt: Why?
signals:
  - id: s
    statement: Because.
    weight: 1
    kind: positive
"""


@pytest.fixture
def write(tmp_path):
    def _write(text, name="q.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def test_the_minimal_form_is_legal(write):
    question = load_question(write(MINIMAL)).question
    assert question.id == "a"
    assert question.signals[0].weight == 1


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "words"),
    [
        ("    statement", "    statment", 6, "signals.0.statment", "'statement'"),
        ("prompt: Why?", "promt: Why?", 3, "promt", "'prompt'"),
        ("kind: positive", "kind: good", 8, "signals.0.kind", "'good'"),
        ("weight: 1", "weight: 0", 7, "signals.0.weight", "greater than or equal to 1"),
        ("weight: 1", "weight: 1.5", 7, "signals.0.weight", "integer"),
        ("weight: 1", "weight: true", 7, "signals.0.weight", "integer"),
        ("topic: t\n", "", 1, "topic", "missing"),
        (
            "kind: positive",
            "kind: negative",
            1,
            "question",
            "at least one must be of kind positive",
        ),
    ],
)
def test_a_fault_names_file_line_field_and_remedy(write, old, new, line, field, words):
    path = write(MINIMAL.replace(old, new, 1))
    with pytest.raises(RubricError) as caught:
        load_question(path)
    told = [t for t in str(caught.value).splitlines() if field in t]
    assert any(t.startswith(f"{path}:{line}: {field}") and words in t for t in told), told
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id: [", "not valid YAML"),
        ("- 1", "a question is a mapping"),
        ("", "a question is a mapping"),
        ("id: a\nid: b\n", "'id' stands twice"),
        ("id: !!python/object:os.system x", "not valid YAML"),
        ("a: &x [*x]", "not valid YAML"),
    ],
)
def test_what_is_no_question_is_refused(write, text, words):
    with pytest.raises(RubricError, match=words):
        load_question(write(text))


def test_an_id_used_twice_names_both_files(write, tmp_path):
    first, second = write(MINIMAL, "a.yaml"), write(MINIMAL, "b.yaml")
    with pytest.raises(RubricError) as caught:
        load_bank(tmp_path)
    assert str(first) in str(caught.value)
    assert f"{second}:1" in str(caught.value)


def test_relations_and_labels_must_name_signals_of_the_question(write):
    bad_relation = MINIMAL + "relations: [{kind: requires, signal: s, needs: nope}]\n"
    with pytest.raises(RubricError, match="'nope' is not a positive signal"):
        load_question(write(bad_relation))
    bad_label = MINIMAL + "samples: [{id: x, quality: strong, text: y, labels: {nope: met}}]\n"
    with pytest.raises(RubricError, match="unknown signal 'nope'"):
        load_question(write(bad_label))


def test_an_unknown_question_names_the_nearest(write, tmp_path):
    write(MINIMAL.replace("id: a", "id: kv-cache", 1))
    with pytest.raises(QuestionUnknownError, match="did you mean kv-cache"):
        load_bank(tmp_path).get("kv-cach")


def test_of_a_coding_exercise_only_question_yaml_is_a_question(write, tmp_path):
    write(MINIMAL, "coding/x/question.yaml")
    write("not: a question", "coding/x/data.yaml")
    assert [f.question.id for f in load_bank(tmp_path)] == ["a"]


def test_a_question_in_a_file_of_its_name_is_found_beside_broken_files(write, tmp_path):
    write(MINIMAL.replace("id: a", "id: kv-cache", 1), "topic/kv-cache.yaml")
    write("id: [", "topic/broken.yaml")
    assert find_question("kv-cache", tmp_path).id == "kv-cache"
    with pytest.raises(RubricError, match="broken"):
        find_question("other", tmp_path)


def test_a_file_name_alone_makes_no_question(write, tmp_path):
    write(MINIMAL, "b.yaml")
    assert find_question("a", tmp_path).id == "a"
    with pytest.raises(QuestionUnknownError):
        find_question("b", tmp_path)
