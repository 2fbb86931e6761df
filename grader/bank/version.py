"""Content hashes of a question: of its rubric, and of the whole file.

The rubric version changes exactly when something changes that a judge or the score can see. It
does not depend on key order, comments, quoting or trailing whitespace of the file.
"""

import hashlib
import json
from typing import Any

from grader.bank.identity_cache import IdentityCache
from grader.domain.question import Question

_JUDGED_FIELDS = {
    "prompt",
    "parameters",
    "derived",
    "answer",
    "signals",
    "relations",
    "glossary",
    "notes",
}
_UNJUDGED_SIGNAL_FIELDS = {"probe"}

_versions: IdentityCache[Question, str] = IdentityCache()


def rubric_version(question: Question) -> str:
    """Hash of what a judge or the score can see: ``sha256:`` and 64 hexadecimal digits."""
    return _versions.get(question, None, lambda: _rubric_version(question))


def _rubric_version(question: Question) -> str:
    seen = question.model_dump(mode="json", include=_JUDGED_FIELDS)
    for signal in seen["signals"]:
        for field in _UNJUDGED_SIGNAL_FIELDS:
            signal.pop(field)
    return _digest(seen)


def file_version(question: Question) -> str:
    """Hash of everything the question holds."""
    return _digest(question.model_dump(mode="json", by_alias=True))


def _digest(value: Any) -> str:
    canonical = json.dumps(
        _tidied(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _tidied(value: Any) -> Any:
    """The value with trailing whitespace cut from each line and from the ends of each text."""
    if isinstance(value, str):
        return "\n".join(line.rstrip() for line in value.strip().splitlines())
    if isinstance(value, dict):
        return {key: _tidied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_tidied(item) for item in value]
    return value
