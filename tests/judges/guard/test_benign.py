"""Honest technical language is never flagged: a hardening that costs points is a fault too."""

import pytest

from grader.domain.answer import Answer
from grader.judges.guard import guard
from tests.judges.guard.benign import BENIGN
from tests.judges.texts import small_question


@pytest.mark.parametrize("sentence", BENIGN)
def test_benign_sentences_are_left_alone(sentence):
    guarded = guard(small_question(), Answer.of(sentence))
    assert guarded.flags == ()
    assert guarded.flagged == ()
    assert guarded.masked == sentence
    assert guarded.settled is None


def test_all_of_them_in_one_answer_are_left_alone():
    text = " ".join(BENIGN)
    guarded = guard(small_question(), Answer.of(text))
    assert guarded.flags == ()
    assert guarded.masked == text


def test_there_are_enough_of_them():
    assert len(set(BENIGN)) >= 170
