"""Things that tests put into a store."""

from grader.domain.grade import Grade
from grader.domain.question import Question
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.store.records.work import NewSubmission, SubmissionKind

ANSWER = "Paging keeps the cache in blocks, so that nothing is wasted on padding."


def question(identifier="paging", weight=2):
    return Question.model_validate(
        {
            "id": identifier,
            "topic": "memory",
            "prompt": "Why is a key-value cache kept in pages?",
            "signals": [
                {
                    "id": "blocks",
                    "statement": "The cache is split into fixed-size blocks.",
                    "weight": weight,
                    "kind": "positive",
                    "accept": ["it keeps the cache in blocks", "memory is cut into pages"],
                    "terms": [["block", "blocks", "page"]],
                },
                {
                    "id": "waste",
                    "statement": "No memory is reserved for tokens that never come.",
                    "weight": 1,
                    "kind": "positive",
                    "accept": ["nothing is wasted on padding"],
                },
            ],
        }
    )


def tenant(database, name="Acme"):
    with database.writing() as unit:
        return unit.deployment.add_tenant(name).id


def submission(store, text=ANSWER, asked=None, **fields):
    version = store.rubrics.keep(asked or question())
    return store.submissions.add(
        NewSubmission(
            kind=fields.pop("kind", SubmissionKind.TEXT),
            question_id=version.question_id,
            file_version=version.file_version,
            rubric_version=version.version,
            text=text,
            **fields,
        )
    )


def job(store, of, **fields):
    given = {"queue": "judge", "priority": 100, "judge": "offline", **fields}
    return store.jobs.add(of.id, file_version=of.file_version, **given)


def grade(score=66.7, text=ANSWER):
    return Grade(
        question_id="paging",
        rubric_version="sha256:" + "0" * 64,
        score=score,
        low=score,
        high=100.0,
        provisional=True,
        verdicts=(
            Verdict(
                signal_id="blocks",
                outcome=Outcome.MET,
                confidence=0.9,
                evidence=(Evidence.of(text, 0, 6),),
                reasons=("likeness",),
                judge="offline-1",
            ),
            Verdict(signal_id="waste", outcome=Outcome.CANNOT_ASSESS, judge="offline-1"),
        ),
        flags=("short",),
    )


def executor(database, identifier="e1", ttl_s=15.0):
    with database.writing() as unit:
        unit.executors.register(identifier, pool="all", host="here", ttl_s=ttl_s)
    return identifier
