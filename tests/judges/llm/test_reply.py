"""Reading a reply: each entry stands or falls alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.verdict import Outcome
from grader.judges.llm.reply import read_reply, reply_schema
from grader.judges.llm.transport.modes import is_strict

GOOD = {"id": "S1", "at": [1], "quote": "words", "verdict": "met", "sure": 80}
OTHER = {"id": "S2", "at": [], "quote": "", "verdict": "not_met", "sure": 60}


def read(*entries, labels=("S1", "S2"), reasons=False):
    return read_reply({"signals": list(entries)}, labels, reasons=reasons)


def test_readable_entries_are_found_by_label():
    found = read(OTHER, GOOD)
    assert found["S1"].outcome is Outcome.MET
    assert found["S1"].confidence == 0.8
    assert found["S2"].at == ()


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "maybe"},
        {"verdict": "cannot_assess"},
        {"verdict": None},
        {"quote": None},
        {"sure": 101},
        {"sure": -1},
        {"sure": "very"},
        {"at": "1"},
        {"at": ["one"]},
        {"score": 100},
    ],
    ids=str,
)
def test_an_entry_that_breaks_the_schema_is_lost_alone(change):
    assert set(read({**GOOD, **change}, OTHER)) == {"S2"}


@pytest.mark.parametrize("field", list(GOOD))
def test_no_field_has_a_default(field):
    assert set(read({k: v for k, v in GOOD.items() if k != field}, OTHER)) == {"S2"}


def test_a_reason_is_read_where_one_was_asked_for():
    assert read({**GOOD, "why": " more "}, reasons=True)["S1"].comment == "more"
    assert read(GOOD, reasons=True) == {}


def test_labels_nobody_asked_for_are_left_out():
    assert set(read({**GOOD, "id": "S9"}, OTHER)) == {"S2"}


def test_two_entries_of_one_label_count_only_if_they_say_the_same():
    assert set(read(GOOD, GOOD)) == {"S1"}
    assert read(GOOD, {**GOOD, "verdict": "not_met"}) == {}
    assert read(GOOD, {**GOOD, "verdict": "not_met"}, GOOD) == {}


@pytest.mark.parametrize("label", ["1", "s1", " S1 ", 1])
def test_a_label_in_another_spelling_is_known(label):
    assert set(read({**GOOD, "id": label})) == {"S1"}


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["signals", "id", "verdict"]), json_values))
def test_any_object_can_be_read_and_nothing_is_made_of_nothing(data):
    assert read_reply(data, ["S1"], reasons=False) == {}


@pytest.mark.parametrize("reasons", [False, True])
def test_the_schema_fits_strict_modes_and_has_the_words_before_the_verdict(reasons):
    schema = reply_schema(reasons=reasons)
    assert is_strict(schema)
    fields = list(schema["properties"]["signals"]["items"]["properties"])
    assert fields[:5] == ["id", "at", "quote", "verdict", "sure"]
    assert ("why" in fields) is reasons
