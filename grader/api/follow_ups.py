"""Follow-ups: what is asked after an answer, and what the answers to it lift."""

from dataclasses import dataclass

from grader.api.standing import standing_grade
from grader.bank.draw import draw_question
from grader.coaching.follow_up import FollowUp, follow_ups, lifted
from grader.domain.grade import Grade, Score
from grader.domain.question import Question
from grader.domain.scoring import score_verdicts
from grader.store.records.work import Submission
from grader.store.unit import TenantStore

MOST = 2


@dataclass(frozen=True)
class Interview:
    """A graded answer, what is asked about it, and what was answered.

    Attributes:
        asked: By the signals' numbers.
        answers: Submissions that answer, by the signals' ids; the first one counts.
        score: With what the answers lifted.
    """

    question: Question
    asked: dict[str, FollowUp]
    answers: dict[str, Submission]
    score: Score


async def interview(store: TenantStore, submission: Submission) -> Interview | None:
    """What is asked about a submission; None before it is graded."""
    stored = store.grades.current(submission.id)
    if stored is None:
        return None
    kept = store.rubrics.question(store.jobs.get(stored.job_id).file_version)
    question = draw_question(kept, submission.draw_seed)
    grade = standing_grade(kept, stored.grade, store.overrides.standing(submission.id))
    numbers = {signal.id: f"s{n}" for n, signal in enumerate(question.signals, 1)}
    asked = await follow_ups(question, grade, most=MOST)
    return Interview(
        question=question,
        asked={numbers[item.signal_id]: item for item in asked},
        answers=(answers := _answers(store, submission)),
        score=_score(store, kept, grade, answers),
    )


def _answers(store: TenantStore, submission: Submission) -> dict[str, Submission]:
    found: dict[str, Submission] = {}
    for child in store.submissions.follow_ups(submission.id):
        for signal_id in child.signals or ():
            found.setdefault(signal_id, child)
    return found


def _score(
    store: TenantStore, question: Question, grade: Grade, answers: dict[str, Submission]
) -> Score:
    verdicts = {v.signal_id: v for v in grade.verdicts}
    for signal_id, child in answers.items():
        further = store.grades.current(child.id)
        if further is None or signal_id not in verdicts:
            continue
        reached = {v.signal_id: v for v in further.grade.verdicts}.get(signal_id)
        if reached is not None:
            original = verdicts[signal_id]
            verdicts[signal_id] = lifted(question.signal(signal_id), original, reached)
    return score_verdicts(question, list(verdicts.values())).score
