"""Grading one answer: guard, judge, verify the evidence, score."""

import logging
from collections.abc import Sequence

from grader.bank.draw import draw_question
from grader.bank.version import rubric_version
from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.question import Question, Signal
from grader.domain.scoring import NO_VERDICT, score_verdicts
from grader.domain.verdict import Outcome, Verdict
from grader.judges.evidence import verify_verdicts
from grader.judges.guard import guard
from grader.judges.port import GuardedAnswer, Judge, Judgement

JUDGE_FAULT = "judge_fault"
GUARD_ID = "guard-1"

_log = logging.getLogger(__name__)


async def grade_answer(
    question: Question,
    answer: Answer,
    judge: Judge,
    *,
    signals: Sequence[Signal] | None = None,
    draw_seed: int | None = None,
) -> Grade:
    """Grades one answer to one question.

    Args:
        question: Prompt and rubric as the bank holds them; figures are drawn here.
        answer: What the learner said or wrote.
        judge: Asked unless the guard has settled the answer. A judge that raises is a fault of
            ours: its signals become ``cannot_assess`` and the exception is logged.
        signals: The signals to judge; all of the question when None. The others stay unassessed.
        draw_seed: Seed of the question's drawn parameters, kept with the grade; None is the
            default draw.

    Returns:
        A grade with one verdict for each signal of the question, in rubric order.
    """
    drawn = draw_question(question, draw_seed)
    guarded = guard(drawn, answer)
    wanted = None if signals is None else {s.id for s in signals}
    asked = tuple(s for s in drawn.signals if wanted is None or s.id in wanted)
    judgement = await _judged(drawn, guarded, judge, asked)
    verdicts = _one_each(asked, judgement.verdicts, judge.id)
    scored = score_verdicts(drawn, verify_verdicts(drawn, guarded, verdicts))
    return Grade(
        question_id=question.id,
        rubric_version=rubric_version(question),
        score=scored.score.score,
        low=scored.score.low,
        high=scored.score.high,
        provisional=any(v.outcome is Outcome.CANNOT_ASSESS for v in scored.verdicts),
        verdicts=scored.verdicts,
        flags=tuple(dict.fromkeys((*guarded.flags, *judgement.flags))),
        draw_seed=draw_seed,
    )


async def _judged(
    question: Question, guarded: GuardedAnswer, judge: Judge, asked: tuple[Signal, ...]
) -> Judgement:
    if guarded.settled is not None:
        return _settled(guarded, asked)
    try:
        return await judge.judge(question, guarded, asked)
    except Exception:
        _log.exception("judge %s failed on question %s", judge.id, question.id)
        faults = tuple(_unassessed(s.id, JUDGE_FAULT, judge.id) for s in asked)
        return Judgement(verdicts=faults, flags=(JUDGE_FAULT,))


def _settled(guarded: GuardedAnswer, asked: tuple[Signal, ...]) -> Judgement:
    assert guarded.settled is not None
    sure = guarded.settled is not Outcome.CANNOT_ASSESS
    verdicts = tuple(
        Verdict(
            signal_id=signal.id,
            outcome=guarded.settled,
            confidence=1.0 if sure else 0.0,
            reasons=(guarded.settled_reason,),
            judge=GUARD_ID,
        )
        for signal in asked
    )
    return Judgement(verdicts=verdicts)


def _one_each(
    asked: tuple[Signal, ...], verdicts: Sequence[Verdict], judge_id: str
) -> tuple[Verdict, ...]:
    """One verdict for each signal asked for; anything else from a judge is its fault."""
    given: dict[str, list[Verdict]] = {signal.id: [] for signal in asked}
    for verdict in verdicts:
        if verdict.signal_id in given:
            given[verdict.signal_id].append(verdict)
        else:
            _log.warning("judge %s ruled on %r, not asked for", judge_id, verdict.signal_id)
    return tuple(_single(signal_id, found, judge_id) for signal_id, found in given.items())


def _single(signal_id: str, found: Sequence[Verdict], judge_id: str) -> Verdict:
    if not found:
        return _unassessed(signal_id, NO_VERDICT, judge_id)
    if len(found) > 1:
        _log.warning("judge %s gave %d verdicts on %r", judge_id, len(found), signal_id)
        return _unassessed(signal_id, JUDGE_FAULT, judge_id)
    return found[0]


def _unassessed(signal_id: str, reason: str, judge_id: str) -> Verdict:
    return Verdict(
        signal_id=signal_id,
        outcome=Outcome.CANNOT_ASSESS,
        confidence=0.0,
        reasons=(reason,),
        judge=judge_id,
    )
