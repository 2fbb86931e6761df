"""The scripted model's answers in the shapes that the peers ask for, from the same labels."""

import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bench.mock_llm.judging import GOLD_VARIABLE, Label, by_gold, squeezed
from bench.mock_llm.script import Seen

_CRITERION = re.compile(r"<criterion>\n(.*?)\n</criterion>", re.DOTALL)
_SUBMISSION = re.compile(r"<submission>\n(.*)\n</submission>", re.DOTALL)
_ACTUAL = re.compile(r"Actual Output:\n(.*?)\n\n\n\nParameters:", re.DOTALL)
_STEP = re.compile(r"makes this statement: (.*?)\n\n\nTest Case", re.DOTALL)
_OWN = re.compile(r"Statement: (.*?)\nAnswer: (.*)\nDoes the answer", re.DOTALL)
_EXPLANATION = "The answer was read against the statement; what it says on this point decides it."
EXPLANATION = _EXPLANATION.ljust(120, ".")


def verdict(seen: Seen) -> Mapping[str, Any]:
    """Answers ours, autorubric's, deepeval's and openevals' prompts."""
    prompt = seen.prompt
    if "\nJudge these signals, in this order: " in prompt:
        return by_gold(seen)
    if "<submission>" in prompt:
        return _autorubric(prompt, one_call="<criteria>" in prompt)
    if found := _OWN.search(prompt):
        met = _label(found.group(2), found.group(1))[0] == "met"
        return {"reasoning": EXPLANATION, "score": met}
    step, actual = _STEP.search(prompt), _ACTUAL.search(prompt)
    assert step, prompt
    text = actual.group(1) if actual else ""
    met = _label(text, step.group(1))[0] == "met"
    return {"reason": EXPLANATION, "score": 10 if met else 0}


def _autorubric(prompt: str, *, one_call: bool) -> Mapping[str, Any]:
    user = prompt[prompt.rindex("<criteria>" if one_call else "<criterion_type>\n") :]
    submission = _SUBMISSION.search(user)
    assert submission, user
    judged = [
        {
            "criterion_status": "MET" if _label(submission.group(1), c)[0] == "met" else "UNMET",
            "explanation": EXPLANATION,
        }
        for c in _CRITERION.findall(user)
    ]
    if not one_call:
        return judged[0]
    return {
        "judgments": [
            {"criterion_id": f"c{i}", "selected_option": None, **j} for i, j in enumerate(judged)
        ]
    }


def _label(text: str, statement: str) -> Label:
    return _raw_gold(os.environ[GOLD_VARIABLE] + ".raw")[squeezed(text)][squeezed(statement)]


@lru_cache(maxsize=4)
def _raw_gold(path: str) -> dict[str, dict[str, Label]]:
    gold: dict[str, dict[str, Label]] = json.loads(Path(path).read_text(encoding="utf-8"))
    return gold
