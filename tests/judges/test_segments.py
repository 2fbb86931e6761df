"""Sentences with their spans."""

import pytest
from hypothesis import given, settings

from grader.judges.segments import segments
from tests.judges.texts import TEXTS


def parts(text):
    return [text[s.start : s.end] for s in segments(text)]


@given(TEXTS)
@settings(deadline=None)
def test_segments_are_disjoint_and_leave_out_only_white_space(text):
    at = 0
    for span in segments(text):
        assert text[at : span.start].strip() == ""
        assert span.start < span.end
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        at = span.end
    assert text[at:].strip() == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It takes 2.5 ms, e.g. on v0.5.1. Next.", ["It takes 2.5 ms, e.g. on v0.5.1.", "Next."]),
        ("Caches, queues, etc. are shared.", ["Caches, queues, etc. are shared."]),
        ("- first item\n- second item", ["- first item", "- second item"]),
        ("1. first. more\n2) second", ["1. first.", "more", "2) second"]),
        ("解码受带宽限制。批处理有帮助。", ["解码受带宽限制。", "批处理有帮助。"]),
        (
            "Look:\n```py\nx = 1. \ny = 2\n```\nDone.",
            ["Look:", "```py\nx = 1. \ny = 2\n```", "Done."],
        ),
        ("Title\nBody text", ["Title", "Body text"]),
    ],
)
def test_written_text_is_cut_at_its_own_marks(text, expected):
    assert parts(text) == expected


def test_a_hard_wrapped_sentence_stays_whole():
    text = "Decoding is limited by bandwidth since every generated token has\nto read all weights."
    assert parts(text) == [text]


def test_speech_without_punctuation_becomes_windows_before_connectives():
    clause = "every step has to read all of the weights from memory again and it is slow "
    windows = parts((clause + "so ") * 12)
    assert all(12 <= len(w.split()) <= 41 for w in windows)
    assert sum(w.startswith(("so ", "and ", "every")) for w in windows) == len(windows)
