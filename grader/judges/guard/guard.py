"""The guard: what an answer is, before any judge reads it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.bank.words import content_words
from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.domain.verdict import Outcome
from grader.judges.guard.addressed import payload_spans
from grader.judges.guard.copies import question_copies, rubric_echoes
from grader.judges.guard.invisible import has_control_characters
from grader.judges.guard.keywords import keyword_spans
from grader.judges.guard.language import ENGLISH, main_language
from grader.judges.guard.reasons import GuardReason
from grader.judges.guard.words import PLACEHOLDER, Word, words_of
from grader.judges.normalise import normalise
from grader.judges.port import FlaggedSpan, GuardedAnswer
from grader.judges.segments import Span, segments

_FEWEST_CONTENT_WORDS = 3
_MOST_LOOKS = 6
_SETTLED = {
    GuardReason.BLANK: Outcome.NOT_MET,
    GuardReason.TOO_SHORT: Outcome.NOT_MET,
    GuardReason.ADDRESSED_TO_GRADER: Outcome.NOT_MET,
    GuardReason.ENCODED_PAYLOAD: Outcome.NOT_MET,
    GuardReason.INVISIBLE_TEXT: Outcome.NOT_MET,
    GuardReason.RUBRIC_GUESSING: Outcome.NOT_MET,
    GuardReason.QUESTION_COPIED: Outcome.NOT_MET,
    GuardReason.KEYWORD_LIST: Outcome.NOT_MET,
    GuardReason.RUBRIC_ECHO: Outcome.CANNOT_ASSESS,
}
"""Outcome of an answer of which nothing is left. An echo may be an answer learnt by heart: a
person has to look. Order: the most telling reason first."""

Reasoned = tuple[Span, GuardReason]


@dataclass(frozen=True, slots=True)
class _Decision:
    outcome: Outcome | None
    reason: GuardReason | None


def guard(question: Question, answer: Answer) -> GuardedAnswer:
    """Flags what must not earn credit, masks what must not reach a judge, settles the rest.

    Deterministic, linear in the length of the answer, and total: any text will do.

    Args:
        question: Gives prompt and rubric to compare with.
        answer: As stored.
    """
    text = answer.text
    payloads, masked = _without_payloads(text)
    words = words_of(normalise(masked))
    sentences = _word_indices(words, segments(masked))
    language = main_language(masked, words)
    listed = keyword_spans(masked, words, sentences) if language in ("", ENGLISH) else []
    spans = [
        *payloads,
        *((s, GuardReason.QUESTION_COPIED) for s in question_copies(question, words, sentences)),
        *((s, GuardReason.RUBRIC_ECHO) for s in rubric_echoes(question, words, sentences)),
        *((s, GuardReason.KEYWORD_LIST) for s in listed),
    ]
    decision = _decided(masked, words, spans)
    return GuardedAnswer(
        answer=answer,
        masked=masked,
        flagged=_disjoint(spans),
        flags=_flags(answer, spans, decision, language),
        settled=decision.outcome,
        settled_reason=decision.reason.value if decision.reason else "",
        language="" if language == ENGLISH else language,
    )


def mask_payloads(text: str) -> str:
    """A text beside the answer, e.g. its raw transcript, with every payload as placeholders."""
    return _without_payloads(text)[1]


def _without_payloads(text: str) -> tuple[list[Reasoned], str]:
    """The payloads and the masked text; looks again until masking brings no new one to light."""
    found: list[Reasoned] = []
    for _ in range(_MOST_LOOKS):
        new = payload_spans(text)
        if not new:
            break
        found += new
        text = mask(text, (span for span, _ in new))
    return found, text


def mask(text: str, spans: Iterable[Span]) -> str:
    """The text with every code point of the spans as a placeholder."""
    pieces, at = [], 0
    for span in _merged(spans):
        pieces += [text[at : span.start], PLACEHOLDER * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]])


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _word_indices(words: Sequence[Word], sentences: Sequence[Span]) -> list[list[int]]:
    """Indices of the words that begin in each sentence."""
    found: list[list[int]] = []
    i = 0
    for sentence in sentences:
        inside = []
        while i < len(words) and words[i].start < sentence.end:
            inside.append(i)
            i += 1
        found.append(inside)
    return found


def _decided(masked: str, words: Sequence[Word], spans: Sequence[Reasoned]) -> _Decision:
    """What to settle, where nothing is left to judge."""
    reasons = {reason for _, reason in spans}
    if _worth_judging(words, [span for span, _ in spans]):
        return _Decision(None, None)
    if not reasons:
        visible = normalise(masked).text.strip()
        reasons = {GuardReason.TOO_SHORT if visible else GuardReason.BLANK}
    telling = next(reason for reason in _SETTLED if reason in reasons)
    return _Decision(_SETTLED[telling], telling)


def _worth_judging(words: Sequence[Word], flagged: Sequence[Span]) -> bool:
    """Whether something is left outside the flagged spans that could earn credit."""
    free = _outside(words, _merged(flagged))
    if not flagged:
        return bool(content_words(" ".join(w.text for w in free)))
    if any(c.isdigit() for w in free for c in w.text):
        return True
    return len(content_words(" ".join(w.text for w in free))) >= _FEWEST_CONTENT_WORDS


def _outside(words: Sequence[Word], flagged: Sequence[Span]) -> list[Word]:
    free, i = [], 0
    for word in words:
        while i < len(flagged) and flagged[i].end <= word.start:
            i += 1
        if i == len(flagged) or word.end <= flagged[i].start:
            free.append(word)
    return free


def _disjoint(spans: Sequence[Reasoned]) -> tuple[FlaggedSpan, ...]:
    """The spans in order without overlap; where two meet, the earlier keeps its own."""
    rank = {reason: i for i, reason in enumerate(_SETTLED)}
    kept: list[Reasoned] = []
    for span, reason in sorted(spans, key=lambda s: (s[0].start, rank[s[1]], -s[0].end)):
        start = max(span.start, kept[-1][0].end) if kept else span.start
        if start < span.end:
            kept.append((Span(start, span.end), reason))
    return tuple(FlaggedSpan(start=s.start, end=s.end, reason=r.value) for s, r in kept)


def _flags(
    answer: Answer, spans: Sequence[Reasoned], decision: _Decision, language: str
) -> tuple[str, ...]:
    found = {reason for _, reason in spans}
    if decision.reason:
        found.add(decision.reason)
    if language not in ("", ENGLISH):
        found.add(GuardReason.OTHER_LANGUAGE)
    if answer.text_repaired:
        found.add(GuardReason.TEXT_REPAIRED)
    if has_control_characters(answer.text):
        found.add(GuardReason.CONTROL_CHARACTERS)
    return tuple(reason.value for reason in GuardReason if reason in found)
