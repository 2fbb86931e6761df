"""Verdict functions for the judge's prompts: reading one, and answering it from known labels.

They read the prompt as a model would, from its text alone, so a prompt that lacks something shows
as a wrong answer.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.mock_llm.script import Seen, message_text

_SIGNAL = re.compile(r"^(S\d+)( \(misconception\))?: (.*)$", re.MULTILINE)
_FENCE = re.compile(r"^ANSWER (\w+)\n(.*)\nEND \1$", re.MULTILINE)
_ORDER = re.compile(r"^Judge these signals, in this order: (.*)$", re.MULTILINE)
GOLD_VARIABLE = "MOCK_LLM_GOLD"


@dataclass(frozen=True)
class JudgePrompt:
    """What a judge's prompt says.

    Attributes:
        statements: Statement of each signal by its label.
        sentences: The numbered sentences of the answer.
        data: Everything in the fence.
        asked: Labels in the order asked.
        reasons: Whether reasons are wanted.
    """

    statements: Mapping[str, str]
    sentences: Mapping[str, str]
    data: Mapping[str, Any]
    asked: tuple[str, ...]
    reasons: bool

    @property
    def answer(self) -> str:
        """The sentences in one piece."""
        return " ".join(self.sentences.values())


Label = tuple[str, str]
"""A verdict and its quote."""


def read_prompt(seen: Seen) -> JudgePrompt:
    """Reads the prompt of one request.

    Raises:
        ValueError: It is no prompt of the judge.
    """
    system, user = (message_text(m) for m in seen.body["messages"])
    fence, order = _FENCE.search(user), _ORDER.search(user)
    if fence is None or order is None:
        raise ValueError("no fence or no order in the prompt")
    data = json.loads(fence.group(2))
    return JudgePrompt(
        statements={label: text for label, _, text in _SIGNAL.findall(system)},
        sentences=data["sentences"],
        data=data,
        asked=tuple(order.group(1).split(", ")),
        reasons="\nwhy: " in system,
    )


def reply_of(prompt: JudgePrompt, label_of: Callable[[str], Label]) -> dict[str, Any]:
    """The reply that gives each signal asked for its label, found by the signal's statement."""
    return {"signals": [_entry(prompt, asked, *label_of(prompt.statements[asked]))
                        for asked in prompt.asked]}  # fmt: skip


def _entry(prompt: JudgePrompt, label: str, verdict: str, quote: str) -> dict[str, Any]:
    at = [int(n) for n, text in prompt.sentences.items() if quote and quote in text]
    entry: dict[str, Any] = {"id": label, "at": at, "quote": quote, "verdict": verdict, "sure": 90}
    if prompt.reasons:
        entry["why"] = "" if verdict == "met" else "Say more about what happens and why."
    return entry


def by_words(words: Mapping[str, str]) -> Callable[[Seen], Mapping[str, Any]]:
    """A verdict function: a signal is met where its words stand in the answer.

    Args:
        words: The words of each signal, by its statement.
    """

    def verdict(seen: Seen) -> Mapping[str, Any]:
        prompt = read_prompt(seen)

        def label(statement: str) -> Label:
            quote = words.get(statement, "")
            return ("met", quote) if quote and quote in prompt.answer else ("not_met", "")

        return reply_of(prompt, label)

    return verdict


def by_gold(seen: Seen) -> Mapping[str, Any]:
    """A verdict function: the labels of the file that ``MOCK_LLM_GOLD`` names.

    The file maps each answer, white space aside, to its labels: statement to verdict and quote.
    """
    prompt = read_prompt(seen)
    labels = _gold(os.environ[GOLD_VARIABLE])[squeezed(prompt.answer)]
    return reply_of(prompt, lambda statement: labels[statement])


def squeezed(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


@lru_cache(maxsize=4)
def _gold(path: str) -> dict[str, dict[str, Label]]:
    gold: dict[str, dict[str, Label]] = json.loads(Path(path).read_text(encoding="utf-8"))
    return gold
