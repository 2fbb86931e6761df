"""The normal form folds spelling variants, and every character of it knows its origin."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judges.normalise import normalise
from tests.judges.texts import TEXTS


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("Paged\u00a0 \t\nAttention", "paged attention"),
        ("“quoted” ‘words’", "\"quoted\" 'words'"),
        ("pre—fill – de‐code", "pre-fill - de-code"),
        ("naïve nai\u0308ve", "naive naive"),
        ("ﬁnite ＫＶ ①", "finite kv 1"),
        ("O(n²) and 10¹²", "o(n^2) and 10^1^2"),
        ("ig\u200bno\u2060re\u202e", "ignore"),
        ("Straße İ", "strasse i"),
        ("\U000e0041\ufe0fx", "x"),
        ("한국어", "한국어"),
        ("2×", "2x"),
        ("", ""),
    ],
)
def test_spelling_variants_coincide(written, normal):
    assert normalise(written).text == normal


@given(TEXTS)
@settings(deadline=None)
def test_every_character_maps_to_a_span_of_the_text_in_order(text):
    mapped = normalise(text)
    assert len(mapped.starts) == len(mapped.ends) == len(mapped.text)
    assert list(mapped.starts) == sorted(mapped.starts)
    assert list(mapped.ends) == sorted(mapped.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(mapped.starts, mapped.ends, strict=True))


@given(TEXTS, st.data())
@settings(deadline=None)
def test_a_span_of_the_normal_form_round_trips_through_the_text(text, data):
    mapped = normalise(text)
    start = data.draw(st.integers(0, len(mapped.text)))
    end = data.draw(st.integers(start, len(mapped.text)))
    source_start, source_end = mapped.source_span(start, end)
    again = normalise(text[source_start:source_end]).text
    assert mapped.text[start:end] in again
    if start < end:
        wide_start, wide_end = mapped.span_of(source_start, source_end)
        assert wide_start <= start
        assert end <= wide_end
        assert mapped.text[wide_start:wide_end] == again


@given(TEXTS)
@settings(deadline=None)
def test_normalising_twice_changes_nothing(text):
    once = normalise(text).text
    assert normalise(once).text == once


def test_a_combining_mark_belongs_to_its_letter():
    text = "na\u0131\u0308\u0301ve"
    mapped = normalise(text)
    at = mapped.text.index("i")
    assert mapped.source_span(at, at + 1) == (2, 5)


def test_rewriting_must_keep_the_length():
    mapped = normalise("abc")
    assert mapped.rewritten(str.upper).text == "ABC"
    with pytest.raises(ValueError, match="made 1 of 3"):
        mapped.rewritten(lambda text: text[:1])
