"""Follow-ups: what to ask about signals that are missing, and what the answers may change.

A follow-up lifts a positive signal by at most one step, not met to partial or partial to met, and
never lowers anything. Both verdicts are kept; the lifted one is computed from them.
"""

from collections.abc import Sequence
from typing import Protocol

from grader.bank.lint import probe_leaks
from grader.bank.words import content_words
from grader.domain.answer import Answer
from grader.domain.grade import Grade, Score
from grader.domain.model import FrozenModel
from grader.domain.question import Question, Signal, SignalKind
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Outcome, Verdict
from grader.judges.pipeline import grade_answer
from grader.judges.port import Judge

LIFTED = "lifted_by_follow_up"
GENERIC_PROBE = (
    "Is there anything in the question that you have not gone into yet? Go on from there."
)

_STEPS = (Outcome.NOT_MET, Outcome.PARTIAL, Outcome.MET)
_OPEN = frozenset({Outcome.NOT_MET, Outcome.PARTIAL})
_MOST_TRIES = 2


class ProbeWriter(Protocol):
    """Writes follow-up questions."""

    async def write(self, question: Question, signal: Signal, draw: int) -> str:
        """A follow-up about a signal, or nothing. Another ``draw`` gives another text.

        It is checked by the caller: it may leak.
        """
        ...


class FollowUp(FrozenModel):
    """One question to ask, about one signal."""

    signal_id: str
    text: str


class FollowUpAnswer(FrozenModel):
    """What became of one follow-up.

    Attributes:
        original: Verdict on the first answer.
        further: Verdict on the follow-up's answer; its evidence points into ``answer``.
        counted: The verdict that counts.
    """

    asked: FollowUp
    answer: Answer
    original: Verdict
    further: Verdict
    counted: Verdict


class FollowedUpGrade(FrozenModel):
    """A grade, its follow-ups, and the score with what they lifted."""

    original: Grade
    follow_ups: tuple[FollowUpAnswer, ...]
    score: Score


def open_signals(question: Question, grade: Grade) -> list[Signal]:
    """The positive signals that are missing or partial, the weightiest first."""
    outcomes = {v.signal_id: v.outcome for v in grade.verdicts}
    found = [
        s for s in question.signals
        if s.kind is SignalKind.POSITIVE and outcomes.get(s.id) in _OPEN
    ]  # fmt: skip
    return sorted(found, key=lambda s: -s.weight)


async def follow_ups(
    question: Question, grade: Grade, *, most: int = 2, writer: ProbeWriter | None = None
) -> list[FollowUp]:
    """What to ask next.

    The rubric's probe where it gives none of the missing signals away, else one that is written
    and checked, else a question that is safe for every signal, once.

    Args:
        question: With its figures drawn.
        grade: Of the first answer.
        most: Questions at most.
        writer: Writes probes that the rubric lacks.
    """
    found: list[FollowUp] = []
    missing = open_signals(question, grade)
    for signal in missing:
        text = await _probe(question, signal, missing, writer)
        if text != GENERIC_PROBE or all(f.text != GENERIC_PROBE for f in found):
            found.append(FollowUp(signal_id=signal.id, text=text))
        if len(found) == most:
            break
    return found


async def answer_follow_up(
    question: Question, grade: Grade, asked: FollowUp, answer: Answer, judge: Judge
) -> FollowUpAnswer:
    """Judges the answer to one follow-up.

    Raises:
        KeyError: The grade has no verdict on the signal.
    """
    original = {v.signal_id: v for v in grade.verdicts}[asked.signal_id]
    signal = question.signal(asked.signal_id)
    judged = await grade_answer(question, answer, judge, signals=(signal,))
    further = {v.signal_id: v for v in judged.verdicts}[signal.id]
    return FollowUpAnswer(
        asked=asked,
        answer=answer,
        original=original,
        further=further,
        counted=lifted(signal, original, further),
    )


def lifted(signal: Signal, original: Verdict, further: Verdict) -> Verdict:
    """The verdict that counts: the original, or one step above it where the follow-up reaches it.

    Evidence stays that of the first answer, for the spans are of its text.
    """
    if signal.kind is not SignalKind.POSITIVE or original.outcome not in _OPEN:
        return original
    if further.outcome not in _STEPS:
        return original
    now, reached = _STEPS.index(original.outcome), _STEPS.index(further.outcome)
    if reached <= now:
        return original
    return original.model_copy(
        update={
            "outcome": _STEPS[now + 1],
            "confidence": further.confidence,
            "reasons": (LIFTED, *original.reasons),
            "judge": further.judge,
        }
    )


def followed_up(
    question: Question, grade: Grade, answers: Sequence[FollowUpAnswer]
) -> FollowedUpGrade:
    """The grade with its follow-ups. It keeps the original and is never below it."""
    counted = {a.asked.signal_id: a.counted for a in answers}
    verdicts = [counted.get(v.signal_id, v) for v in grade.verdicts]
    return FollowedUpGrade(
        original=grade,
        follow_ups=tuple(answers),
        score=score_verdicts(question, verdicts).score,
    )


async def _probe(
    question: Question, signal: Signal, missing: Sequence[Signal], writer: ProbeWriter | None
) -> str:
    """A follow-up about one signal that gives none of the missing ones away."""
    given = set(content_words(question.prompt))

    def is_safe(text: str) -> bool:
        return bool(text) and not any(probe_leaks(s, given, text) for s in missing)

    if is_safe(own := signal.probe.strip()):
        return own
    for draw in range(_MOST_TRIES if writer is not None else 0):
        assert writer is not None
        if is_safe(text := (await writer.write(question, signal, draw)).strip()):
            return text
    return GENERIC_PROBE
