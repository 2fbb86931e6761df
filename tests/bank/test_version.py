"""The rubric version changes exactly when a judge or the score could see a difference."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from grader.bank.load import question_of
from grader.bank.source import parse_yaml
from grader.bank.version import file_version, rubric_version

BASE = {
    "id": "a",
    "topic": "t",
    "prompt": "Why {x}?\nSay it.",
    "parameters": {"x": {"values": [1, 2]}},
    "signals": [
        {
            "id": "s",
            "statement": "Because of caches.",
            "weight": 2,
            "kind": "positive",
            "accept": ["caches", "it caches"],
            "reject": ["no caches"],
            "terms": [["cache", "store"]],
            "numbers": [{"value": 3, "unit": "GB"}],
            "probe": "What is kept?",
        },
        {"id": "r", "statement": "Reads.", "weight": 1, "kind": "positive"},
    ],
    "relations": [{"kind": "requires", "signal": "s", "needs": "r"}],
    "glossary": [{"term": "cache", "spoken": ["cash"]}],
    "notes": "be strict",
    "title": "Title",
    "minutes": 5,
}


def version(fields, of=rubric_version):
    return of(question_of(parse_yaml(yaml.safe_dump(fields), "q.yaml")))


def changed(path, value):
    fields = yaml.safe_load(yaml.safe_dump(BASE))
    target = fields
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return fields


@given(st.randoms())
def test_key_order_does_not_matter(random):
    def shuffled(value):
        if isinstance(value, dict):
            items = list(value.items())
            random.shuffle(items)
            return {k: shuffled(v) for k, v in items}
        return [shuffled(v) for v in value] if isinstance(value, list) else value

    text = yaml.safe_dump(shuffled(BASE), sort_keys=False)
    assert rubric_version(question_of(parse_yaml(text, "q"))) == version(BASE)


def test_comments_quoting_style_and_trailing_space_do_not_matter():
    plain = yaml.safe_dump(BASE)
    styled = "# a comment\n" + yaml.safe_dump(BASE, default_style='"', width=30)
    padded = plain.replace("notes: be strict", "notes: |\n  be strict   \n\n")
    versions = {rubric_version(question_of(parse_yaml(t, "q"))) for t in (plain, styled, padded)}
    assert len(versions) == 1


def test_what_a_judge_sees_changes_it():
    paths = {
        ("prompt",): "Why not {x}?",
        ("parameters", "x", "values"): [1, 3],
        ("notes",): "be mild",
        ("signals", 0, "statement"): "Because of stores.",
        ("signals", 0, "weight"): 3,
        ("signals", 0, "kind"): "positive",
        ("signals", 0, "accept"): ["caches"],
        ("signals", 0, "reject"): [],
        ("signals", 0, "terms"): [["cache"]],
        ("signals", 0, "numbers"): [{"value": 3, "unit": "GiB"}],
        ("relations",): [],
        ("glossary",): [],
    }
    unchanged = [("signals", 0, "kind")]
    for path, value in paths.items():
        same = version(changed(path, value)) == version(BASE)
        assert same == (path in unchanged), path


def test_what_only_a_learner_sees_does_not_but_changes_the_file_version():
    for path, value in {
        ("title",): "Other",
        ("minutes",): 9,
        ("signals", 0, "probe"): "What else?",
    }.items():
        assert version(changed(path, value)) == version(BASE), path
        assert version(changed(path, value), file_version) != version(BASE, file_version), path
