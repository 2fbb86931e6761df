"""Which words of a sentence are denied."""

import pytest

from grader.judges.offline.polarity import Polarity, conflicts, polarities

ASSERTED, DENIED, AVERTED, KEPT = Polarity


def marks(sentence):
    words = sentence.split()
    return dict(zip(words, polarities(words), strict=True))


@pytest.mark.parametrize(
    ("sentence", "denied", "asserted"),
    [
        ("it does not recompute keys , it reads them", ["recompute", "keys"], ["reads"]),
        ("blocks are read without copying", ["copying"], ["blocks", "read"]),
        ("it never moves", ["moves"], ["it"]),
        ("it uses pages instead of slabs", ["slabs"], ["uses", "pages"]),
        ("latency rather than bandwidth is the limit", ["bandwidth"], ["latency"]),
        ("unlike training , serving is live", ["training"], ["serving", "live"]),
        ("i don't think that paging saves memory", ["paging", "saves", "memory"], []),
        ("it is not true that paging saves memory", ["paging", "saves", "memory"], []),
        ("that paging saves memory is a myth", ["paging", "saves", "memory"], []),
        ("it is wrong to say that paging saves memory", ["paging", "saves", "memory"], []),
        ("not only keys but values are kept", [], ["keys", "values", "kept"]),
        ("there is no doubt that pages help", [], ["pages", "help"]),
        ("it does not help because blocks leak", ["help"], ["blocks", "leak"]),
        (
            "the link doesn't matter it's all about launch latency",
            ["matter"],
            ["launch", "latency"],
        ),
        ("it finds no room of the right size", ["room"], ["right", "size"]),
        ("a non deterministic kernel", ["deterministic"], ["kernel"]),
    ],
)
def test_the_scope_of_a_denial(sentence, denied, asserted):
    found = marks(sentence)
    assert {w: found[w] for w in denied} == dict.fromkeys(denied, DENIED)
    assert {w: found[w] for w in asserted} == dict.fromkeys(asserted, ASSERTED)


def test_a_double_denial_asserts():
    assert marks("nobody claims caches are not shared")["shared"] is ASSERTED


def test_what_is_averted_is_neither_asserted_nor_denied():
    assert marks("paging avoids fragmentation")["fragmentation"] is AVERTED
    assert marks("paging does not avoid fragmentation")["fragmentation"] is KEPT


def test_conflicts_are_symmetric_and_averting_agrees_with_denying():
    for left in Polarity:
        assert not conflicts(left, left)
        for right in Polarity:
            assert conflicts(left, right) == conflicts(right, left)
    assert conflicts(ASSERTED, DENIED)
    assert not conflicts(AVERTED, DENIED)
    assert conflicts(AVERTED, KEPT)


def test_every_token_has_a_polarity():
    assert polarities([]) == []
    assert len(polarities(["not"] * 50)) == 50
