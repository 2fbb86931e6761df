"""What a job does between its steps: take up, judge, record. Knows no engine library."""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.bank.draw import draw_question
from grader.domain.answer import Answer, AnswerSource, Transcript
from grader.domain.grade import Grade
from grader.domain.question import Question, Signal
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Outcome
from grader.engine.errors import JobFaultError
from grader.engine.parts import SANDBOX_UNAVAILABLE, SPEECH_UNAVAILABLE, Parts
from grader.exercises.result import CheckResult
from grader.judges.pipeline import grade_answer
from grader.store.records.grading import Claim, Job
from grader.store.records.operations import Delivery
from grader.store.records.work import Submission, SubmissionKind
from grader.store.unit import TenantStore, Unit

MOST_EXECUTIONS = 20
MOST_QUESTIONS = 512
GRADED = "submission.graded"
FAILED = "submission.failed"

_log = logging.getLogger(__name__)
Announce = Callable[[Unit, Delivery], None]


@dataclass(frozen=True)
class Work:
    """A job taken up: the claim under which it records, and all that judging needs."""

    claim: Claim
    job: Job
    submission: Submission
    question: Question
    rubric_version: str

    @property
    def tenant_id(self) -> str:
        """Whose job."""
        return self.claim.tenant_id

    @property
    def signals(self) -> tuple[Signal, ...] | None:
        """The signals asked about; None for all."""
        wanted = self.submission.signals
        if wanted is None:
            return None
        return tuple(s for s in self.question.signals if s.id in wanted)


def new_executor_id() -> str:
    """An id for one start of one process; no two share one."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"


class GradingDesk:
    """Takes jobs up, judges them and records what came of it.

    Args:
        parts: What the worker is built from.
        executor_id: In whose name jobs are claimed.
        announce: Called in the recording transaction for each webhook message, to send it later.
    """

    def __init__(self, parts: Parts, executor_id: str, announce: Announce) -> None:
        self._parts = parts
        self._executor_id = executor_id
        self._announce = announce
        self._questions: dict[tuple[str, str], tuple[Question, str]] = {}

    def take_up(self, tenant_id: str, job_id: str) -> Work | None:
        """Claims a job; None where there is nothing to do any more."""
        with self._parts.database.writing() as unit:
            store = unit.of(tenant_id)
            taken = store.jobs.take_up(job_id, self._executor_id)
            if taken is None:
                return None
            claim, job = taken
            if claim.epoch > MOST_EXECUTIONS:
                self._end_failed(unit, claim, job, "executions_exceeded")
                return None
            submission = store.submissions.get(job.submission_id)
            question, version = self._question(store, job.file_version)
        return Work(claim, job, submission, draw_question(question, submission.draw_seed), version)

    def _question(self, store: TenantStore, file_version: str) -> tuple[Question, str]:
        """A question with its rubric version, kept at hand: the hash of it never changes."""
        key = (store.id, file_version)
        found = self._questions.get(key)
        if found is None:
            rubric = store.rubrics.get(file_version)
            found = Question.model_validate(rubric.content), rubric.version
            if len(self._questions) >= MOST_QUESTIONS:
                self._questions.pop(next(iter(self._questions)), None)
            self._questions[key] = found
        return found

    def is_local(self, work: Work) -> bool:
        """Whether judging needs nothing from outside."""
        return self._parts.judges.is_local(work.job.judge)

    def set_stage(self, work: Work, stage: str) -> None:
        """Says what the job is doing."""
        with self._parts.database.writing() as unit:
            unit.of(work.tenant_id).jobs.set_stage(work.claim, stage)

    async def transcribe(self, work: Work) -> str:
        """Recognises a spoken answer and keeps what was heard; returns the text.

        Raises:
            JobFaultError: Nothing here recognises speech, or the recording is gone.
        """
        submission = work.submission
        if submission.text is not None:
            return submission.text
        if self._parts.recogniser is None or submission.audio_blob is None:
            raise JobFaultError(SPEECH_UNAVAILABLE, "nothing here recognises speech")
        audio = await asyncio.to_thread(
            self._parts.blobs.get, work.tenant_id, submission.audio_blob
        )
        transcript = await self._parts.recogniser.transcribe(audio, work.question)
        await asyncio.to_thread(self._keep_heard, work, transcript)
        return transcript.raw

    async def judge(self, work: Work, text: str) -> Grade:
        """Judges an answer; a fault of the judge is within the grade, as ``cannot_assess``.

        Raises:
            JobFaultError: There is no such judge here.
        """
        submission = work.submission
        judge = self._parts.judges.judge(
            work.job.judge, tenant_id=work.tenant_id, job_id=work.job.id
        )
        spoken = submission.kind is SubmissionKind.SPEECH
        heard = Transcript.model_validate(submission.transcript) if submission.transcript else None
        answer = Answer(
            text=text,
            source=AnswerSource.SPEECH if spoken else AnswerSource.TYPED,
            transcript=heard,
            text_repaired=submission.text_repaired,
        )
        grade = await grade_answer(
            work.question, answer, judge, signals=work.signals, draw_seed=submission.draw_seed
        )
        # The version is that of the question as it is kept, with its parameters not yet drawn.
        return grade.model_copy(update={"rubric_version": work.rubric_version})

    async def run_code(self, tenant_id: str, job_id: str) -> CheckResult:
        """Runs the code of a job that another process has claimed.

        Raises:
            JobFaultError: Nothing here can run it.
        """
        question, digest = await asyncio.to_thread(self._code_of, tenant_id, job_id)
        if self._parts.code is None or digest is None:
            raise JobFaultError(SANDBOX_UNAVAILABLE, "nothing here runs code")
        source = await asyncio.to_thread(self._parts.blobs.get, tenant_id, digest)
        return await self._parts.code.check(question, source)

    def record(self, work: Work, grade: Grade, code: CheckResult | None = None) -> None:
        """Records the grade, bills it once and announces it, all in one transaction.

        Raises:
            FencedError: The claim no longer holds; nothing was recorded.
        """
        with self._parts.database.writing() as unit:
            store = unit.of(work.tenant_id)
            result = code.model_dump(mode="json") if code is not None else None
            store.jobs.record(work.claim, grade, code_result=result)
            test = work.submission.test
            store.usage.bill(work.job.id, "grade", 1, test=test)
            if not self.is_local(work):
                self._bill_calls(store, work)
            body = {"submission_id": work.submission.id, "job_id": work.job.id}
            shown = {"score": grade.score, "low": grade.low, "high": grade.high}
            self._tell(unit, work.claim, GRADED, {**body, **shown})

    def fail(self, work: Work, cause: str) -> None:
        """Ends a job without a grade.

        Raises:
            FencedError: The claim no longer holds.
        """
        with self._parts.database.writing() as unit:
            self._end_failed(unit, work.claim, work.job, cause)

    def _code_of(self, tenant_id: str, job_id: str) -> tuple[Question, str | None]:
        with self._parts.database.reading() as unit:
            store = unit.of(tenant_id)
            job = store.jobs.get(job_id)
            digest = store.submissions.get(job.submission_id).code_blob
            return store.rubrics.question(job.file_version), digest

    def _end_failed(self, unit: Unit, claim: Claim, job: Job, cause: str) -> None:
        unit.of(claim.tenant_id).jobs.fail(claim, cause)
        body = {"submission_id": job.submission_id, "job_id": job.id, "cause": cause}
        self._tell(unit, claim, FAILED, body)

    def _tell(self, unit: Unit, claim: Claim, event: str, body: Mapping[str, object]) -> None:
        store = unit.of(claim.tenant_id)
        for delivery in store.deliveries.publish(event, body, job_id=claim.job_id):
            self._announce(unit, delivery)

    def _bill_calls(self, store: TenantStore, work: Work) -> None:
        cost = store.usage.calls_of(work.job.id)
        if cost.calls:
            store.usage.bill(
                work.job.id,
                "llm_tokens",
                cost.tokens,
                nano_usd=cost.nano_usd,
                test=work.submission.test,
            )

    def _keep_heard(self, work: Work, transcript: Transcript) -> None:
        heard = Answer.of(transcript.raw).text
        with self._parts.database.writing() as unit:
            store = unit.of(work.tenant_id)
            store.submissions.set_heard(
                work.submission.id, heard, transcript.model_dump(mode="json")
            )


def grade_of_code(work: Work, result: CheckResult) -> Grade:
    """The grade that a run of an exercise's suite gives."""
    scored = score_verdicts(work.question, [item.verdict for item in result.invariants])
    return Grade(
        question_id=work.question.id,
        rubric_version=work.rubric_version,
        score=scored.score.score,
        low=scored.score.low,
        high=scored.score.high,
        provisional=any(v.outcome is Outcome.CANNOT_ASSESS for v in scored.verdicts),
        verdicts=scored.verdicts,
    )
