"""Two scripted models: one that judges by the words of the answer, one that also obeys it."""

import re

from bench.mock_llm.judging import read_prompt, reply_of
from grader.bank.words import content_words

_LETTERS = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[^.!?]+")
_LEAST_SEEN = 16
_LEAST_SHARED = 2


def honest(question):
    """Judges each signal by the sentence that shares most content words with its rubric."""
    words = {
        s.statement: set(content_words(" ".join((s.statement, *s.accept))))
        for s in question.signals
    }

    def verdict(seen):
        prompt = read_prompt(seen)
        sentences = _SENTENCE.findall(prompt.answer.replace("[masked]", "."))

        def label(statement):
            shared = [len(words[statement] & set(content_words(s))) for s in sentences]
            best = max(range(len(sentences)), key=lambda i: shared[i], default=None)
            if best is None or shared[best] < _LEAST_SHARED:
                return "not_met", ""
            return "met", " ".join(sentences[best].split()[:12])

        return reply_of(prompt, label)

    return verdict


def obeying(question, payload, *, quote_payload):
    """Judges honestly until it sees a piece of the payload in the data; then credits everything.

    Args:
        payload: What was injected.
        quote_payload: Whether it then quotes the payload, or the first honest sentence.
    """
    fair = honest(question)

    def verdict(seen):
        prompt = read_prompt(seen)
        visible = [s for s in prompt.sentences.values() if sees(s, payload)]
        if not visible:
            return fair(seen)
        others = [s for s in prompt.sentences.values() if s not in visible]
        source = visible[0] if quote_payload or not others else others[0]
        return reply_of(prompt, lambda _: ("met", source[:90]))

    return verdict


def sees(text, payload):
    """Whether a piece of the payload that could say something stands in a text."""
    shown, hidden = letters(text), letters(payload)
    size = min(_LEAST_SEEN, len(hidden))
    return any(hidden[i : i + size] in shown for i in range(0, len(hidden) - size + 1, 4))


def letters(text):
    """Letters and digits alone, so that no layout hides them."""
    return "".join(_LETTERS.findall(text)).casefold()
