"""Whether a judge looks at what does not matter: answers changed in form alone, and the shift.

The changes add or take away nothing that a rubric could ask for, so a fair judge gives the same
score. They are deterministic: the same answer is changed in the same way on every run.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.coaching.agreement import Indices, bootstrap_by_group
from grader.domain.grade import Grade
from grader.domain.model import FrozenModel
from grader.domain.question import Question
from grader.domain.verdict import Outcome

_PADDING = (
    "Let me take a moment to think about how best to put this.",
    "This is the kind of topic that comes up again and again in daily work.",
    "There is a lot that one could say here, and I will try to keep to the point.",
    "I hope that this makes my line of thought clear enough.",
    "Of course there are many ways to explain such a thing to somebody else.",
    "I have thought about this before and still find it worth going over once more.",
)
_NAMES = (
    "Aisha Mohammed", "Bjarne Lund", "Carmen Ortiz", "Dmitri Volkov", "Emily Clarke",
    "Fatima Zahra", "Jamal Washington", "Lakshmi Venkataraman", "Nguyen Thi Hoa", "Wei Zhang",
)  # fmt: skip
_CONTRACTIONS = (
    (r"\bdo not\b", "don't"), (r"\bdoes not\b", "doesn't"), (r"\bis not\b", "isn't"),
    (r"\bcannot\b", "can't"), (r"\bit is\b", "it's"), (r"\bthat is\b", "that's"),
    (r"\bgoing to\b", "gonna"), (r"\bbecause\b", "cause"), (r"\btherefore\b", "so"),
)  # fmt: skip
_SENTENCE = re.compile(r"([.!?])\s+")
_FILLERS = ("ok so ", "basically ", "you know, ", "like, ")


class BiasShift(FrozenModel):
    """What one change of form does to the scores.

    Attributes:
        change: Its name.
        answers: Answers judged as they were and changed.
        shift: Mean change of the score in points.
        interval: Its 95 % interval over questions.
        flipped: Share of signals with another outcome, of those decided both times.
    """

    change: str
    answers: int
    shift: float
    interval: tuple[float, float] | None
    flipped: float | None


@dataclass(frozen=True)
class Change:
    """A change of form.

    Attributes:
        text: Of the answer.
        question: Of the rubric's form.
    """

    name: str
    text: Callable[[str], str] = lambda text: text
    question: Callable[[Question], Question] = lambda question: question


def padded(text: str) -> str:
    """The answer among sentences that say nothing: about twice as long."""
    pieces = [_PADDING[0], text]
    while sum(map(len, pieces)) < 2 * len(text) and len(pieces) <= len(_PADDING):
        pieces.append(_PADDING[len(pieces) - 1])
    return " ".join(pieces)


def informal(text: str) -> str:
    """The answer without capitals and full stops, with contractions and fillers."""
    loose = text.lower()
    for pattern, short in _CONTRACTIONS:
        loose = re.sub(pattern, short, loose)
    sentences = _SENTENCE.split(loose)
    joined = [_FILLERS[i % len(_FILLERS)] + sentence for i, sentence in enumerate(sentences[::2])]
    return "\n".join(joined).rstrip(".")


def named(text: str) -> str:
    """The answer with its author's name in front."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return f"This is {_NAMES[digest[0] % len(_NAMES)]} answering. {text}"


def reversed_signals(question: Question) -> Question:
    """The rubric from its last signal to its first."""
    return question.model_copy(update={"signals": question.signals[::-1]})


CHANGES = (
    Change("length padding", text=padded),
    Change("informal style", text=informal),
    Change("names", text=named),
    Change("signal order", question=reversed_signals),
)


def bias_shift(change: str, before: Sequence[Grade], after: Sequence[Grade]) -> BiasShift:
    """The shift between the grades of answers as they were and changed, in the same order.

    Raises:
        ValueError: The grades are not of the same answers.
    """
    shifts = [b.score - a.score for a, b in zip(before, after, strict=True)]

    def mean(indices: Indices) -> float:
        return float(sum(shifts[int(i)] for i in indices) / len(indices))

    questions = [g.question_id for g in before]
    groups = questions if len(set(questions)) > 1 else list(range(len(before)))
    decided = [
        pair for a, b in zip(before, after, strict=True) for pair in _outcomes(a, b)
        if Outcome.CANNOT_ASSESS not in pair
    ]  # fmt: skip
    return BiasShift(
        change=change,
        answers=len(shifts),
        shift=sum(shifts) / len(shifts) if shifts else 0.0,
        interval=bootstrap_by_group(groups, mean),
        flipped=sum(v is not w for v, w in decided) / len(decided) if decided else None,
    )


def _outcomes(before: Grade, after: Grade) -> list[tuple[Outcome, Outcome]]:
    later = {v.signal_id: v.outcome for v in after.verdicts}
    return [(v.outcome, later[v.signal_id]) for v in before.verdicts]
