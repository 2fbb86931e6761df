"""The answer as data: numbered sentences as JSON between two lines that nobody can foresee.

The code of the fence is a keyed hash of everything inside it, under a secret of the deployment:
whoever writes an answer cannot know it, and changing the answer to contain it changes it. Equal
answers get equal fences, so that an equal call is answered from the ledger.
"""

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from typing import Any

from grader.bank.words import content_words
from grader.domain.answer import AnswerSource
from grader.domain.question import Question
from grader.judges.guard import mask_payloads
from grader.judges.guard.words import PLACEHOLDER
from grader.judges.llm.prompts import MASKED
from grader.judges.normalise import is_invisible
from grader.judges.port import GuardedAnswer
from grader.judges.segments import Span, segments

_MASKED_RUN = re.compile(f"{PLACEHOLDER}(?:[{PLACEHOLDER}\\s]*{PLACEHOLDER})?")
_UNSURE_BELOW = 0.5
_MOST_UNSURE = 40
_CODE_BYTES = 6
_LEAST_ON_SUBJECT = 2


@dataclass(frozen=True)
class FencedAnswer:
    """An answer ready for a prompt.

    Attributes:
        text: The fence with the JSON inside.
        sentences: Span of each numbered sentence in the answer as stored; number 1 comes first.
    """

    text: str
    sentences: tuple[Span, ...]


def fenced_answer(question: Question, guarded: GuardedAnswer, secret: bytes) -> FencedAnswer:
    """Puts the masked answer into its fence.

    Args:
        question: For the guard of the raw transcript, and part of the fence's code.
        guarded: The answer after the guard.
        secret: The deployment's secret.
    """
    sentences = segments(guarded.masked)
    numbered = {
        str(i): _shown(_without_remnants(question, guarded.masked[s.start : s.end]))
        for i, s in enumerate(sentences, start=1)
    }
    data = _json({"sentences": numbered, **_speech(question, guarded)})
    code = _code(secret, question.id, data)
    return FencedAnswer(text=f"ANSWER {code}\n{data}\nEND {code}", sentences=sentences)


def _speech(question: Question, guarded: GuardedAnswer) -> dict[str, Any]:
    """What the recogniser heard, as far as the guard lets it through."""
    transcript = guarded.answer.transcript
    if guarded.answer.source is not AnswerSource.SPEECH or transcript is None:
        return {}
    found: dict[str, Any] = {}
    if transcript.raw.strip() and transcript.raw != guarded.answer.text:
        found["heard"] = _heard(question, transcript.raw)
    # A word list can carry a payload as well as a text can: only what was said aloud stays.
    said = set(transcript.raw.split()) | set(guarded.masked.split())
    unsure = [w.text for w in transcript.words if w.confidence < _UNSURE_BELOW and w.text in said]
    if unsure:
        found["unsure"] = list(dict.fromkeys(unsure))[:_MOST_UNSURE]
    return found


def _heard(question: Question, raw: str) -> str:
    """A raw transcript as it may be shown. Nothing in it is evidence: it is not the answer."""
    masked = mask_payloads(raw)
    pieces = (_without_remnants(question, masked[s.start : s.end]) for s in segments(masked))
    return _shown(" ".join(pieces))


def _without_remnants(question: Question, sentence: str) -> str:
    """A sentence without what is left of a payload around its mask.

    Of a sentence with a mask in it only pieces that speak of the subject stay: the honest half of
    a mixed sentence, but not the address or the tag that led up to an order.
    """
    if PLACEHOLDER not in sentence:
        return sentence
    subject = _subject(question)
    pieces = re.split(f"({_MASKED_RUN.pattern})", sentence)
    return "".join(
        piece if i % 2 or _speaks_of(piece, subject) else PLACEHOLDER
        for i, piece in enumerate(pieces)
    )


def _speaks_of(piece: str, subject: frozenset[str]) -> bool:
    return len(subject.intersection(content_words(piece))) >= _LEAST_ON_SUBJECT


def _subject(question: Question) -> frozenset[str]:
    """Content words of prompt and rubric."""
    said = [question.prompt]
    for signal in question.signals:
        said += [signal.statement, *signal.accept, *signal.reject, *sum(signal.terms, ())]
    return frozenset(content_words(" ".join(said)))


def _shown(text: str) -> str:
    """Text for the model: runs of masked characters as one mark, nothing that cannot be seen."""
    visible = _MASKED_RUN.sub(MASKED, text)
    if not visible.isprintable():
        visible = "".join(c for c in visible if not is_invisible(c))
    return visible


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # JSON allows it, a decoder undoes it, and no closing tag stands in the prompt as such.
    return text.replace("</", "<\\/")


def _code(secret: bytes, *parts: str) -> str:
    text = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hmac.new(secret, b"fence\x00" + text, hashlib.sha256).hexdigest()[: 2 * _CODE_BYTES]
