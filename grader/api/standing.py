"""The grade that stands: a judge's verdicts, those of people put over them, scored again."""

from collections.abc import Sequence

from grader.domain.grade import Grade
from grader.domain.question import Question
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Outcome, Verdict
from grader.store.records.grading import Override

HUMAN = "human"


def standing_grade(question: Question, grade: Grade, overrides: Sequence[Override]) -> Grade:
    """A grade with the verdicts of people over those of the judge.

    Args:
        question: The version that the grade was given by.
        grade: As it was recorded; never changed.
        overrides: The ones that count; those on signals of other versions are left out.
    """
    known = {verdict.signal_id for verdict in grade.verdicts}
    by_people = {o.signal_id: _verdict(o) for o in overrides if o.signal_id in known}
    if not by_people:
        return grade
    verdicts = [by_people.get(v.signal_id, v) for v in grade.verdicts]
    scored = score_verdicts(question, verdicts)
    return grade.model_copy(
        update={
            "score": scored.score.score,
            "low": scored.score.low,
            "high": scored.score.high,
            "provisional": any(v.outcome is Outcome.CANNOT_ASSESS for v in scored.verdicts),
            "verdicts": scored.verdicts,
        }
    )


def _verdict(override: Override) -> Verdict:
    return Verdict(
        signal_id=override.signal_id,
        outcome=Outcome(override.outcome),
        judge=HUMAN,
        comment=override.reason,
    )
