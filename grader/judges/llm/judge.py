"""The LLM judge: one lean call for all signals of an answer, every credit checked in code."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from grader.domain.question import Question, Signal
from grader.domain.verdict import Outcome, Verdict
from grader.judges.ledger import CallLedger, LedgerError
from grader.judges.llm.asking import Heard, heard, prefix, request_for, unheard
from grader.judges.llm.check import CheckedAnswer
from grader.judges.llm.fence import fenced_answer
from grader.judges.llm.gate import LeaderGate
from grader.judges.llm.hearing import Hearing
from grader.judges.llm.prompts import PROMPT_VERSION
from grader.judges.llm.settings import LlmSettings
from grader.judges.llm.transport import (
    Cause,
    CompletionRequest,
    ConfigFault,
    Estimate,
    LlmFault,
    Transport,
)
from grader.judges.port import GuardedAnswer, Judge, Judgement
from grader.judges.quotes import QuoteIndex
from grader.judges.tripwire import disagreements

OUTAGES = frozenset(
    {Cause.SERVER_ERROR, Cause.CONNECTION, Cause.TIMEOUT, Cause.CIRCUIT_OPEN, Cause.RATE_LIMITED}
)
OUTAGE = "llm_outage"
"""Flag of a grade, and reason of its verdicts, that another judge gave while the LLM was down."""

LEDGER = "ledger"
"""Reason of verdicts that are missing because the ledger could not be read or written."""

LATER = frozenset(
    {OUTAGE, LEDGER, Cause.BUDGET.value, Cause.CONFIG.value, *(c.value for c in OUTAGES)}
)
"""Reasons of verdicts that the same job gets from the LLM when it is run again."""

_log = logging.getLogger(__name__)


class LlmJudge:
    """Judges by a language model, as the port says.

    Args:
        transport: Makes the calls.
        secret: The deployment's secret, for the fence around the answer.
        settings: How to judge.
        fallback: Answers, labelled, when the LLM cannot be had at all.
        tripwire: Judges beside the LLM; where it contradicts, the grade is flagged.
    """

    def __init__(
        self,
        transport: Transport,
        secret: bytes,
        settings: LlmSettings | None = None,
        *,
        fallback: Judge | None = None,
        tripwire: Judge | None = None,
    ) -> None:
        self.settings = settings or LlmSettings()
        self.config_fault: ConfigFault | None = None
        self._transport = transport
        self._secret = secret
        self._fallback = fallback
        self._tripwire = tripwire
        self._gate = LeaderGate(self.settings.lead_s)
        self._rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    @property
    def id(self) -> str:
        """``llm-``, the version of the prompts and the model."""
        return self._named(self._transport.settings.endpoints[0].model)

    @property
    def ledger(self) -> CallLedger:
        """Where its calls are kept."""
        return self._transport.ledger

    @property
    def is_down(self) -> bool:
        """Whether the endpoints are known to be down and are not asked for now."""
        return self._transport.is_down()

    async def judge(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> Judgement:
        """Judges one answer, as the port says."""
        hearing = self._hearing(question, guarded, signals)
        async with self._turn(hearing):
            verdicts = {v.signal_id: v async for v in hearing.verdicts()}
        if self._has_no_llm(hearing):
            return await self._instead(question, guarded, hearing.signals)
        ordered = tuple(verdicts[s.id] for s in hearing.signals)
        return Judgement(verdicts=ordered, flags=await self._flags(question, guarded, ordered))

    async def stream(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> AsyncIterator[Verdict]:
        """Judges one answer for somebody who waits: each verdict as soon as it is settled.

        Only settled verdicts come out: none is taken back. Use with ``settings.groups`` over 1.
        """
        hearing = self._hearing(question, guarded, signals)
        async with self._turn(hearing):
            held: list[Verdict] = []
            async for verdict in hearing.verdicts():
                if hearing.is_silent:
                    held.append(verdict)
                else:
                    yield verdict
        if self._has_no_llm(hearing):
            held = [*(await self._instead(question, guarded, hearing.signals)).verdicts]
        for verdict in held:
            yield verdict

    def requests(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> list[CompletionRequest]:
        """The calls that ``judge`` makes first; makes none. Its doubts may add one."""
        hearing = self._hearing(question, guarded, signals)
        return [request_for(self.settings, hearing.checked, g, 0) for g in hearing.groups]

    def estimate(self, request: CompletionRequest) -> Estimate:
        """What a call may take."""
        return self._transport.estimate(request)

    def _hearing(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None
    ) -> Hearing:
        checked = CheckedAnswer(
            question=question,
            guarded=guarded,
            fenced=fenced_answer(question, guarded, self._secret),
            index=QuoteIndex(guarded),
            release=self.settings.release,
        )
        call = _Calls(self, checked)
        return Hearing(
            checked=checked,
            signals=tuple(question.signals if signals is None else signals),
            settings=self.settings,
            ask=call,
            judge=self.id,
            named=self._named,
        )

    @asynccontextmanager
    async def _turn(self, hearing: Hearing) -> AsyncIterator[None]:
        """Waits for the question's first answer, then for a place among the answers at work."""
        room = self._rooms.setdefault(
            asyncio.get_running_loop(), asyncio.Semaphore(self.settings.at_once)
        )
        async with self._gate.turn(hash(prefix(self.settings, hearing.checked)), room):
            yield

    async def ask(
        self, checked: CheckedAnswer, request: CompletionRequest, signals: Sequence[Signal]
    ) -> Heard:
        """One call through the transport; a fault of configuration ends all further ones."""
        if self.config_fault is not None:
            return unheard(self.config_fault)
        try:
            reply = await self._transport.complete(request)
        except ConfigFault as fault:
            self.config_fault = fault
            return unheard(fault)
        except LlmFault as fault:
            return unheard(fault)
        except LedgerError:
            _log.exception("no call without its ledger row")
            return Heard(cause=LEDGER, again=False)
        return heard(reply, self.settings, checked, signals, self._named(reply.model))

    def _named(self, model: str) -> str:
        return f"llm-{PROMPT_VERSION}:{model}"

    def _has_no_llm(self, hearing: Hearing) -> bool:
        return (
            self._fallback is not None
            and bool(hearing.signals)
            and hearing.is_silent
            and hearing.causes <= OUTAGES
        )

    async def _instead(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal]
    ) -> Judgement:
        assert self._fallback is not None
        judgement = await self._fallback.judge(question, guarded, signals)
        verdicts = tuple(
            v.model_copy(update={"reasons": (OUTAGE, *v.reasons)}) for v in judgement.verdicts
        )
        return Judgement(verdicts=verdicts, flags=(OUTAGE, *judgement.flags))

    async def _flags(
        self, question: Question, guarded: GuardedAnswer, verdicts: Sequence[Verdict]
    ) -> tuple[str, ...]:
        if self._tripwire is None or all(v.outcome is Outcome.CANNOT_ASSESS for v in verdicts):
            return ()
        signals = [question.signal(v.signal_id) for v in verdicts]
        second = await self._tripwire.judge(question, guarded, signals)
        return disagreements(verdicts, second.verdicts)


class _Calls:
    """Makes the calls of one answer within its deadline."""

    def __init__(self, judge: LlmJudge, checked: CheckedAnswer) -> None:
        self._judge = judge
        self._checked = checked
        self._deadline: float | None = None

    async def __call__(self, signals: Sequence[Signal], turn: int, after_truncation: bool) -> Heard:
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._judge.settings.deadline_s
        left = self._deadline - now
        if left <= 0:
            return Heard(cause=Cause.TIMEOUT.value, again=False)
        request = request_for(
            self._judge.settings,
            self._checked,
            signals,
            turn,
            after_truncation=after_truncation,
            deadline_s=left,
        )
        return await self._judge.ask(self._checked, request, signals)
