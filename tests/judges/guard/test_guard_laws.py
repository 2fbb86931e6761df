"""Laws of the guard over any text."""

from hypothesis import given, settings

from grader.domain.answer import Answer
from grader.judges.guard import guard
from grader.judges.guard.words import PLACEHOLDER
from tests.judges.texts import TEXTS, small_question

QUESTION = small_question()


@given(TEXTS)
@settings(deadline=None, max_examples=300)
def test_the_mask_keeps_every_offset(text):
    guarded = guard(QUESTION, Answer(text=text))
    assert len(guarded.masked) == len(text)
    for i, (shown, stored) in enumerate(zip(guarded.masked, text, strict=True)):
        if shown != stored:
            assert shown == PLACEHOLDER
            assert any(f.start <= i < f.end for f in guarded.flagged)


@given(TEXTS)
@settings(deadline=None, max_examples=300)
def test_flagged_spans_lie_in_the_text_in_order_and_apart(text):
    at = 0
    for span in guard(QUESTION, Answer(text=text)).flagged:
        assert at <= span.start < span.end <= len(text)
        at = span.end


@given(TEXTS)
@settings(deadline=None, max_examples=300)
def test_masking_again_finds_nothing_new(text):
    once = guard(QUESTION, Answer(text=text))
    assert guard(QUESTION, Answer(text=once.masked)).masked == once.masked


@given(TEXTS)
@settings(deadline=None, max_examples=300)
def test_equal_answers_are_guarded_equally(text):
    assert guard(QUESTION, Answer(text=text)) == guard(QUESTION, Answer(text=text))
