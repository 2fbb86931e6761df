"""Grades made by hand."""

from grader.domain.grade import Grade
from grader.domain.verdict import Outcome, Verdict


def grade(question_id="q", score=50.0, **outcomes):
    verdicts = tuple(Verdict(signal_id=i, outcome=Outcome(o)) for i, o in outcomes.items())
    return Grade(
        question_id=question_id,
        rubric_version="sha256:0",
        score=score,
        low=score,
        high=score,
        provisional=False,
        verdicts=verdicts,
    )
