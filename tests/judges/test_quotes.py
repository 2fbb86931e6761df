"""Quotes are found where they stand, through spelling but not through meaning."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.domain.answer import Answer
from grader.judges.port import FlaggedSpan, GuardedAnswer
from grader.judges.quotes import QuoteIndex, best_match
from tests.judges.texts import TEXTS

ANSWER = (
    "Decoding isn't compute bound: every “step” re-reads all weights—about 26 GB—from HBM. "
    "The KV\u00a0cache is not shared between requests unless prefixes match, "
    "so memory fills up after 40 sequences."
)


def index_of(text, *flagged):
    spans = tuple(FlaggedSpan(start=a, end=b, reason="keyword_list") for a, b in flagged)
    return QuoteIndex(GuardedAnswer(answer=Answer(text=text), masked=text, flagged=spans))


def found(text, quote, **options):
    return [e.quote for e in index_of(text).locate(quote, **options)]


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("all weights", "all weights"),
        ('every "step" re-reads ALL weights', "every “step” re-reads all weights"),
        ("weights - about 26 GB", "weights—about 26 GB"),
        ("weights-about 26 GB", "weights—about 26 GB"),
        ("the kv cache is not shared", "The KV\u00a0cache is not shared"),
        ("\u200bre-reads   all\nweights", "re-reads all weights"),
        ("every 'step' re-reads all of the weights", None),
        (
            "The KV cache is not sharred betwen requests",
            "The KV\u00a0cache is not shared between requests",
        ),
        ("so memory fils up after 40 sequences", "so memory fills up after 40 sequences"),
    ],
)
def test_spelling_may_differ(quote, place):
    assert found(ANSWER, quote) == ([place] if place else [])


@pytest.mark.parametrize(
    "quote",
    [
        "The KV cache is shared between requests unless prefixes match",
        "so memory fills up after 48 sequences",
        "Decoding is compute bound: every step re-reads all weights",
        "speculative decoding verifies the tokens",
        "",
        "...",
        "“”",
    ],
)
def test_meaning_may_not(quote):
    assert found(ANSWER, quote) == []


def test_parts_around_an_ellipsis_are_found_in_order():
    assert found(ANSWER, "every “step” ... from HBM") == ["every “step”", "from HBM"]
    assert found(ANSWER, "from HBM … every “step”") == []


def test_a_region_bounds_the_search():
    text = "The cache grows. Later the cache grows again."
    first, second = text.index("cache"), text.rindex("cache")
    evidence = index_of(text).locate("cache grows", within=(17, len(text)))
    assert [e.start for e in evidence] == [second]
    assert [e.start for e in index_of(text).locate("cache grows")] == [first]
    assert index_of(text).locate("cache grows", within=(0, 10)) == ()


def test_a_flagged_place_is_passed_over():
    text = "cache grows linearly, cache grows linearly"
    assert [e.start for e in index_of(text, (0, 20)).locate("cache grows linearly")] == [22]
    assert index_of(text, (0, 20), (30, 34)).locate("cache grows linearly") == ()
    assert index_of(text, (5, 6)).locate("Cache grows linnearly")[0].start == 22


@given(TEXTS, st.data())
@settings(deadline=None)
def test_evidence_is_the_text_at_its_span(text, data):
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : start + data.draw(st.integers(0, 60))]
    for evidence in index_of(text).locate(quote):
        assert evidence.holds_in(text)


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_any_quote_in_any_text_is_found_soundly_or_not_at_all(text, quote):
    for evidence in index_of(text).locate(quote):
        assert evidence.holds_in(text)


@given(st.text("abcd ", max_size=12), st.text("abcd ", max_size=20))
@settings(deadline=None)
def test_the_best_match_has_the_least_distance_of_all_substrings(wanted, text):
    distance, start, end = best_match(wanted, text)
    assert distance == levenshtein(wanted, text[start:end])
    assert distance == min(
        levenshtein(wanted, text[i:j])
        for i in range(len(text) + 1)
        for j in range(i, len(text) + 1)
    )


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]
