"""Reason codes of the guard."""

from enum import StrEnum


class GuardReason(StrEnum):
    """What the guard noticed, about an answer as a whole or about a span of it.

    Spans addressed to the grader, guessing at the rubric, encoded or invisible are payloads: a
    judge sees placeholders in their place. Other flagged spans stay readable; none is evidence.
    """

    BLANK = "blank"
    TOO_SHORT = "too_short"
    OTHER_LANGUAGE = "other_language"
    QUESTION_COPIED = "question_copied"
    RUBRIC_ECHO = "rubric_echo"
    RUBRIC_GUESSING = "rubric_guessing"
    KEYWORD_LIST = "keyword_list"
    ADDRESSED_TO_GRADER = "addressed_to_grader"
    ENCODED_PAYLOAD = "encoded_payload"
    INVISIBLE_TEXT = "invisible_text"
    CONTROL_CHARACTERS = "control_characters"
    TEXT_REPAIRED = "text_repaired"
