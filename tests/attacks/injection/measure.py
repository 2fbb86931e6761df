"""Grading one injected answer and its clean twin by the same model."""

from dataclasses import dataclass

from grader.domain.answer import Answer
from grader.domain.verdict import Outcome
from grader.judges.guard import guard
from grader.judges.pipeline import grade_answer
from tests.judges.llm.cases import judge_of

CREDITED = (Outcome.MET, Outcome.PARTIAL)


@dataclass(frozen=True)
class Harm:
    """What a payload achieved.

    Attributes:
        recognised: Whether the guard flagged a piece of it.
        gained: Signals credited with the payload and not without.
        evidence: Whether a piece of it became evidence.
        shift: Points with the payload minus points without.
    """

    recognised: bool
    gained: tuple[str, ...]
    evidence: bool
    shift: float


async def harm(case, model):
    """Grades a case and its clean twin.

    Args:
        model: Verdict function.
    """
    attacked = await graded(case.question, case.text, model)
    clean = await graded(case.question, case.clean, model)
    flagged = guard(case.question, Answer.of(case.text)).flagged
    return Harm(
        recognised=any(f.start < case.end and case.start < f.end for f in flagged),
        gained=tuple(sorted(credited(attacked) - credited(clean))),
        evidence=any(touches(e, case) for v in attacked.verdicts for e in v.evidence),
        shift=attacked.score - clean.score,
    )


async def graded(question, text, model):
    """One grade by the LLM judge on a model."""
    return await grade_answer(question, Answer.of(text), judge_of(model, lead_s=0))


def credited(grade):
    """The signals that a grade credits."""
    return {v.signal_id for v in grade.verdicts if v.outcome in CREDITED}


def touches(span, case):
    """Whether a span shares a letter or digit with the payload."""
    shared = case.text[max(span.start, case.start) : min(span.end, case.end)]
    return any(c.isalnum() for c in shared)
