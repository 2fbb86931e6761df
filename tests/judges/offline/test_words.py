"""Stems, spelling and spoken forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judges.offline.lexicon import stem
from grader.judges.offline.spelling import Spelling
from grader.judges.offline.words import content_words, word_texts


@pytest.mark.parametrize(
    "family",
    [
        ("batch", "batches", "batched", "batching"),
        ("cache", "caches", "cached", "caching"),
        ("fragment", "fragments", "fragmented", "fragmentation"),
        ("quantize", "quantized", "quantization", "quantisation", "quantise"),
        ("schedule", "scheduler", "scheduling"),
        ("copy", "copies", "copied"),
    ],
)
def test_a_family_of_words_has_one_stem(family):
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["kv", "gpu", "fp8", "h100", "bus", "x" * 500])
def test_short_words_codes_and_monsters_stay(word):
    assert stem(word) == word


def test_content_words_know_their_place_in_the_text():
    text = "  The “Paged”\u200b cache isn't copied. "
    for word in content_words(text, {}):
        assert text[word.start : word.end].strip("“”\u200b").lower().startswith(word.stem[:3])


def test_a_mishearing_counts_as_the_term_that_it_stands_for():
    aliases = {"dee": [(("dee", "q", "a"), ("gqa",))], "cash": [(("cash",), ("cache",))]}
    words = content_words("we use dee q a and a k v cash", aliases)
    assert "gqa" in {w.stem for w in words}
    assert stem("cache") in {w.stem for w in words}
    said = next(w for w in words if w.stem == "gqa")
    assert (said.start, said.end) == (7, 14)


def test_words_ignore_case_width_and_accents():
    assert word_texts("ＫＶ-Caché") == ("kv", "cache")


SPELLING = Spelling(["fragment", "latenc", "throughput", "gpu", "fp16"])


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("fragment", "fragment"),
        ("fragmnet", "fragment"),
        ("fragmant", "fragment"),
        ("thoughput", "throughput"),
        ("throughputt", "throughput"),
        ("gpu", "gpu"),
        ("cpu", None),
        ("fp15", None),
        ("matenc", None),
        ("z" * 5000, None),
    ],
)
def test_one_slip_is_forgiven_in_long_words_only(said, meant):
    assert SPELLING.read(said) == meant


@given(st.text(max_size=200))
def test_any_text_gives_words_inside_it(text):
    for word in content_words(text, {}):
        assert 0 <= word.start < word.end <= len(text)
