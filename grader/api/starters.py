"""The source that a learner begins a coding exercise with."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from grader.domain.question import Question, QuestionKind

_STARTER = "starter.py"


def starter_of(folders: Sequence[Path], question: Question) -> str | None:
    """The starter of a coding question; None where the banks have none."""
    if question.kind is not QuestionKind.CODING or not question.exercise:
        return None
    return _found(tuple(folders), question.exercise)


@lru_cache(maxsize=256)
def _found(folders: tuple[Path, ...], exercise: str) -> str | None:
    for folder in folders:
        for path in sorted(folder.glob(f"**/coding/*/{_STARTER}")):
            if path.parent.name == exercise:
                return path.read_text(encoding="utf-8")
    return None
