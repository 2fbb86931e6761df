"""Verdict function of a scripted server for the rubric of these tests."""

from bench.mock_llm.judging import by_words

verdict = by_words(
    {
        "Every step reads all weights from memory once.": "stream all the model's parameters",
        "Memory bandwidth is the limit and not arithmetic.": "bandwidth decides the time",
    }
)
