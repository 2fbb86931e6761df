"""A judge, a recogniser, a sandbox and a messenger that do what a test says."""

import asyncio
import threading

from grader.domain.answer import Transcript
from grader.domain.verdict import Outcome, Verdict
from grader.engine.parts import Sent
from grader.exercises.result import CheckResult, CodeVerdict, InvariantResult, Receipt
from grader.judges.port import Judgement
from sandbox.outcome import Outcome as RunOutcome


class Effect:
    """Something outside: counts its starts, and may be held until it is let go or stopped."""

    def __init__(self):
        self.starts = 0
        self.stopped = threading.Event()
        self.started = threading.Event()
        self.open = threading.Event()
        self.open.set()

    def hold(self):
        self.open.clear()

    async def happen(self):
        self.starts += 1
        self.started.set()
        try:
            while not self.open.is_set():
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self.stopped.set()
            raise


class Judges(Effect):
    """Makes judges that count as one effect."""

    id = "double-1"

    def __init__(self):
        super().__init__()
        self.order = []
        self.error = None

    def make(self, *, tenant_id, job_id):
        self.order.append(job_id)
        return self

    async def judge(self, question, guarded, signals=None):
        await self.happen()
        if self.error is not None:
            raise self.error
        asked = question.signals if signals is None else signals
        return Judgement(
            verdicts=tuple(
                Verdict(signal_id=s.id, outcome=Outcome.NOT_MET, judge=self.id) for s in asked
            )
        )


class Speech(Effect):
    text = "paging keeps the cache in blocks"

    async def transcribe(self, audio, question):
        await self.happen()
        return Transcript(raw=self.text)


class Code(Effect):
    async def check(self, question, source):
        await self.happen()
        return check_result(question)


class Messenger(Effect):
    def __init__(self):
        super().__init__()
        self.sent = []
        self.replies = [Sent(delivered=True, status=200)]

    async def send(self, webhook, delivery):
        await self.happen()
        self.sent.append(delivery)
        return self.replies[0] if len(self.replies) == 1 else self.replies.pop(0)


def check_result(question):
    return CheckResult(
        exercise="cache",
        verdict=CodeVerdict.PARTIAL,
        score=66.7,
        invariants=tuple(
            InvariantResult(
                id=signal.id,
                weight=signal.weight,
                passed=n == 0,
                outcome=RunOutcome.PASSED if n == 0 else RunOutcome.FAILED,
            )
            for n, signal in enumerate(question.signals)
        ),
        backend="double",
        proved=(),
        receipt=Receipt(
            submission="sha256:0",
            exercise="cache",
            exercise_version="sha256:0",
            backend="double",
            image_digest="",
            limits={},
            seed_commitment="",
            outcomes={},
            grader_version="0",
        ),
    )
