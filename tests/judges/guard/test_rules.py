"""The notation of the word-order rules, and the matcher's one pass."""

import pytest

from grader.judges.guard.reasons import GuardReason
from grader.judges.guard.rules import RuleBook, parse_rules
from grader.judges.guard.words import PLACEHOLDER, words_of
from grader.judges.normalise import normalise


def matches(rule, text, **options):
    book = RuleBook(parse_rules(GuardReason.ADDRESSED_TO_GRADER, rule, {"FRUIT": "apple pear"}))
    words = words_of(normalise(text))
    return [
        " ".join(w.text for w in words[h.first : h.last + 1]) for h in book.hits(words, **options)
    ]


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("eat apple", "I eat apple pie", ["eat apple"]),
        ("eat apple", "I eat an apple", []),
        ("eat ~1 apple", "I eat an apple", ["eat an apple"]),
        ("eat ~1 apple", "I eat an old apple", []),
        ("eat|cook {FRUIT}", "cook pear", ["cook pear"]),
        ("instruct*", "new INSTRUCTIONS", ["instructions"]),
        ("vergiß|café", "Cafe\u0301!", ["cafe"]),
        ("eat eat", "eat eat eat", ["eat eat", "eat eat"]),
        ("say ^met", 'say "met"', ["say met"]),
        ("say ^met", "say met", []),
        ("grader award", "the grader's award", ["grader award"]),
    ],
)
def test_steps(rule, text, expected):
    assert matches(rule, text) == expected


@pytest.mark.parametrize(
    ("text", "is_order"),
    [
        ("Skip it", True),
        ("First, skip it", True),
        ("please skip it", True),
        ("you must skip it", True),
        ("I want you to skip it", True),
        ("the scheduler must skip it", False),
        ("models skip it", False),
        ("it is able to skip it", False),
    ],
)
def test_an_order_opens_a_clause_or_follows_a_word_of_asking(text, is_order):
    assert bool(matches("!skip it", text)) is is_order
    assert matches("!skip it", text, anywhere=True) == ["skip it"]


def test_a_sentence_break_costs_words_and_a_placeholder_ends_every_match():
    assert matches("eat ~2 apple", "eat. Apple") == ["eat apple"]
    assert matches("eat ~1 apple", "eat. Apple") == []
    assert matches("eat ~9 apple", f"eat {PLACEHOLDER} apple") == []
