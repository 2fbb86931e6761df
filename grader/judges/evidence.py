"""Verdicts must rest on the answer's own words: the check in code, and offsets for a browser."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

from grader.bank.words import content_words
from grader.domain.question import Question, Signal
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.judges.port import GuardedAnswer
from grader.judges.quotes import QuoteIndex
from grader.judges.segments import Span

_CREDITED = (Outcome.MET, Outcome.PARTIAL)


class EvidenceReason(StrEnum):
    """Why evidence does not carry its verdict, or only doubtfully."""

    MISSING = "evidence_missing"
    NOT_IN_TEXT = "evidence_not_in_text"
    FLAGGED = "evidence_flagged"
    UNRELATED = "evidence_unrelated"


def verify_verdicts(
    question: Question, guarded: GuardedAnswer, verdicts: Iterable[Verdict]
) -> tuple[Verdict, ...]:
    """Lets no credit stand that the answer does not carry.

    A met or partial verdict keeps the evidence that holds; with none left it becomes
    ``cannot_assess`` with the reason. Evidence that shares no content word with its signal leaves
    the outcome and adds the reason ``evidence_unrelated``. Other verdicts lose evidence that does
    not hold.

    Args:
        question: Gives the signals' words.
        guarded: The answer with its flagged spans.
        verdicts: Of any judge.

    Raises:
        KeyError: A verdict names a signal that the question lacks.
    """
    index = QuoteIndex(guarded)
    return tuple(_verified(question.signal(v.signal_id), guarded, index, v) for v in verdicts)


def _verified(
    signal: Signal, guarded: GuardedAnswer, index: QuoteIndex, verdict: Verdict
) -> Verdict:
    faults = [evidence_fault(e, guarded, index) for e in verdict.evidence]
    sound = tuple(e for e, fault in zip(verdict.evidence, faults, strict=True) if fault is None)
    if verdict.outcome not in _CREDITED:
        return verdict.model_copy(update={"evidence": sound})
    if not sound:
        first = next((fault for fault in faults if fault), EvidenceReason.MISSING)
        return _withdrawn(verdict, first)
    reasons = verdict.reasons
    if not shares_content_word(signal, sound) and EvidenceReason.UNRELATED not in reasons:
        reasons = (*reasons, EvidenceReason.UNRELATED.value)
    return verdict.model_copy(update={"evidence": sound, "reasons": reasons})


def _withdrawn(verdict: Verdict, reason: EvidenceReason) -> Verdict:
    return verdict.model_copy(
        update={
            "outcome": Outcome.CANNOT_ASSESS,
            "confidence": 0.0,
            "evidence": (),
            "reasons": (reason.value, *verdict.reasons),
        }
    )


def evidence_fault(
    evidence: Evidence, guarded: GuardedAnswer, index: QuoteIndex | None = None
) -> EvidenceReason | None:
    """What is wrong with a piece of evidence; None where it holds."""
    if not evidence.quote.strip():
        return EvidenceReason.MISSING
    if not evidence.holds_in(guarded.answer.text):
        return EvidenceReason.NOT_IN_TEXT
    index = index or QuoteIndex(guarded)
    if index.is_flagged(Span(evidence.start, evidence.end)):
        return EvidenceReason.FLAGGED
    return None


def shares_content_word(signal: Signal, evidence: Sequence[Evidence]) -> bool:
    """Whether a quote has a content word or figure of its signal: else the verdict is doubtful."""
    own = _signal_words(signal)
    return any(not own.isdisjoint(content_words(e.quote)) for e in evidence)


@lru_cache(maxsize=4096)
def _signal_words(signal: Signal) -> frozenset[str]:
    """Content words and figures of everything that a rubric says of a signal."""
    groups = (word for group in signal.terms for word in group)
    said = " ".join((signal.statement, *signal.accept, *groups))
    numbers = " ".join(f"{n.value} {n.unit}" for n in signal.numbers)
    return frozenset(content_words(f"{said} {numbers}"))


def utf16_offsets(text: str, offsets: Sequence[int]) -> tuple[int, ...]:
    """Code-point offsets as the UTF-16 offsets that JavaScript counts in.

    Args:
        text: The text that the offsets point into.
        offsets: Code points from 0 to ``len(text)``, in any order.

    Raises:
        ValueError: An offset lies outside the text.
    """
    for offset in offsets:
        if not 0 <= offset <= len(text):
            raise ValueError(f"offset {offset} lies outside a text of {len(text)} code points")
    found: dict[int, int] = {}
    at = units = 0
    for offset in sorted(set(offsets)):
        units += offset - at + sum(c > "\uffff" for c in text[at:offset])
        at = offset
        found[offset] = units
    return tuple(found[offset] for offset in offsets)
