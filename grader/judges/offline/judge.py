"""The offline judge: a screening judge that needs no model download, no network and no key."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.domain.question import Question, Signal
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.judges.guard import GuardReason
from grader.judges.offline.calibration import Calibration
from grader.judges.offline.decision import Reason, decide
from grader.judges.offline.features import SignalFeatures, measure
from grader.judges.offline.match import ReadAnswer, read_answer
from grader.judges.offline.model import Model, shipped_model
from grader.judges.offline.rubric import PreparedSignal, prepare
from grader.judges.port import GuardedAnswer, Judgement


@dataclass(frozen=True)
class Assessment:
    """What the judge measured on one signal before it decided.

    Attributes:
        log_odds: Of the signal being met, before any calibration.
    """

    signal: PreparedSignal
    features: SignalFeatures
    log_odds: float


class OfflineJudge:
    """Judges by likeness to the rubric's phrasings, and abstains where likeness is no proof.

    It says met, not_met or cannot_assess, never partial, and the window of the answer that it
    matched is its evidence. It is a screening judge, and no match for a person or a good language
    model: it misses paraphrases without a common word and subtle errors in the right words.
    ``bench/offline_judge.py`` measures how often it is right.

    Args:
        model: Coefficients; the shipped ones when None.
        calibration: Shifts learnt from graded answers.
    """

    def __init__(self, model: Model | None = None, calibration: Calibration | None = None) -> None:
        self._model = model or shipped_model()
        self._calibration = calibration

    @property
    def id(self) -> str:
        """``offline-`` and the version of the model."""
        return f"offline-{self._model.version}"

    async def judge(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal] | None = None
    ) -> Judgement:
        """Judges one answer, as the port says."""
        asked = tuple(question.signals if signals is None else signals)
        if guarded.settled is not None:
            settled = [self._same(s, guarded.settled, guarded.settled_reason) for s in asked]
            return Judgement(verdicts=tuple(settled))
        if GuardReason.OTHER_LANGUAGE.value in guarded.flags:
            foreign = [self._same(s, Outcome.CANNOT_ASSESS, Reason.LANGUAGE) for s in asked]
            return Judgement(verdicts=tuple(foreign))
        assessments = self.assess(question, guarded, asked)
        return Judgement(verdicts=tuple(self._verdict(question, guarded, a) for a in assessments))

    def assess(
        self, question: Question, guarded: GuardedAnswer, signals: Sequence[Signal]
    ) -> list[Assessment]:
        """Measures signals without deciding, e.g. to fit a calibration."""
        prepared = prepare(question, self._model.background)
        answer = read_answer(guarded.masked, guarded.flagged, prepared)
        return [self._assessment(prepared.signal(s.id), answer) for s in signals]

    def _assessment(self, signal: PreparedSignal, answer: ReadAnswer) -> Assessment:
        features = measure(signal, answer, self._model.background)
        return Assessment(signal, features, self._model.log_odds(features.values))

    def _verdict(
        self, question: Question, guarded: GuardedAnswer, assessment: Assessment
    ) -> Verdict:
        signal = assessment.signal
        shift = self._calibration and self._calibration.shift(question.id, signal.id)
        decision = decide(
            assessment.features,
            shift.applied(assessment.log_odds) if shift else assessment.log_odds,
            signal,
            calibrated=bool(shift),
        )
        return Verdict(
            signal_id=signal.id,
            outcome=decision.outcome,
            confidence=decision.confidence,
            evidence=_evidence(guarded, assessment.features, decision.outcome),
            reasons=tuple(r.value for r in decision.reasons),
            judge=self.id,
        )

    def _same(self, signal: Signal, outcome: Outcome, reason: str) -> Verdict:
        sure = outcome is not Outcome.CANNOT_ASSESS
        return Verdict(
            signal_id=signal.id,
            outcome=outcome,
            confidence=1.0 if sure else 0.0,
            reasons=(str(reason),),
            judge=self.id,
        )


def _evidence(
    guarded: GuardedAnswer, features: SignalFeatures, outcome: Outcome
) -> tuple[Evidence, ...]:
    """The window that was matched; for an abstention it is what a reviewer should read."""
    if features.best is None or outcome is Outcome.NOT_MET:
        return ()
    window = features.best.window
    return (Evidence.of(guarded.answer.text, window.start, window.end),)
