"""The port that every judge implements, and the data that crosses it."""

from collections.abc import Sequence
from typing import Protocol

from grader.domain.answer import Answer
from grader.domain.model import FrozenModel
from grader.domain.question import Question, Signal
from grader.domain.verdict import Outcome, Verdict


class FlaggedSpan(FrozenModel):
    """A stretch of the answer that can never be evidence.

    Attributes:
        start: First code point of the answer text.
        end: One past the last.
        reason: Reason code of the guard.
    """

    start: int
    end: int
    reason: str


class GuardedAnswer(FrozenModel):
    """An answer after the guard.

    Attributes:
        answer: The answer as stored.
        masked: Same length as ``answer.text``, code point for code point; recognised payloads are
            overwritten by a placeholder, so that every offset holds in both.
        flagged: Spans that can never be evidence, in order and disjoint.
        flags: Reason codes about the answer as a whole, for the grade.
        settled: An outcome that the guard has decided for every signal, whatever the judge
            (blank, question copied, ...); None where the judge shall look.
        settled_reason: Reason code of ``settled``.
        language: ISO 639-1 code of the answer's main language where it is recognised and is not
            English; empty otherwise.
    """

    answer: Answer
    masked: str
    flagged: tuple[FlaggedSpan, ...] = ()
    flags: tuple[str, ...] = ()
    settled: Outcome | None = None
    settled_reason: str = ""
    language: str = ""


class Judgement(FrozenModel):
    """What a judge returns: one verdict for each signal asked for, and flags about the answer."""

    verdicts: tuple[Verdict, ...]
    flags: tuple[str, ...] = ()


class Judge(Protocol):
    """Turns a question and an answer into verdicts.

    A judge never raises for a fault of its own: a signal that it could not judge has the outcome
    ``cannot_assess`` with a cause among its reasons.
    """

    @property
    def id(self) -> str:
        """Identity with version, kept on every verdict; e.g. ``offline-1``."""
        ...

    async def judge(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> Judgement:
        """Judges one answer.

        Args:
            question: Prompt and rubric.
            guarded: The answer after the guard.
            signals: The signals to judge; all of the question when None.
        """
        ...
