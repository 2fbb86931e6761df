"""Questions and labelled answers for the benches of the LLM judge, the same for every peer.

Each question of the bank gives its samples and as many answers put together from sentences of
them. A rubric is cut to four to six positive signals and one misconception. The labels are what the
scripted model says; they are chosen so that an honest quote exists in the answer.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.mock_llm.judging import Label, squeezed
from grader.bank.draw import draw_question
from grader.bank.load import load_bank
from grader.bank.words import content_words
from grader.domain.answer import Answer
from grader.domain.question import Question, QuestionKind, Signal, SignalKind
from grader.judges.guard import guard
from grader.judges.llm.fence import fenced_answer
from grader.judges.segments import segments
from grader.settings import shipped_bank

POSITIVE, NEGATIVE = (5, 6, 6, 4), 1
ANSWERS = 8
_LEAST_SHARED = 2
_MOST_QUOTE, _MOST_WORDS = 90, 12


@dataclass(frozen=True)
class Case:
    """One answer with what the scripted model says of each signal, by statement."""

    question: Question
    answer_id: str
    text: str
    labels: dict[str, Label]

    @property
    def key(self) -> str:
        """How the scripted model recognises the answer: its sentences as they are sent."""
        fenced = fenced_answer(self.question, guard(self.question, Answer.of(self.text)), b"-")
        data = fenced.text.split("\n", 1)[1].rsplit("\n", 1)[0]
        return squeezed(" ".join(json.loads(data)["sentences"].values()))


def cases(most_questions: int = 24) -> list[Case]:
    """All answers, as a class hands them in: everybody's first, then everybody's second."""
    found: list[tuple[int, Case]] = []
    for number, question in enumerate(_questions()[:most_questions]):
        texts = [(f"{s.quality.value}-{i}", s.text) for i, s in enumerate(question.samples)]
        texts += _mixed(question, ANSWERS - len(texts))
        cut = _cut(question, POSITIVE[number % len(POSITIVE)])
        for turn, (name, text) in enumerate(texts[:ANSWERS]):
            case = Case(cut, name, text, _labels(cut, text))
            if guard(cut, Answer.of(text)).settled is None:
                found.append((turn, case))
    # Stable: within one turn the questions keep their order.
    return [case for _, case in sorted(found, key=lambda f: f[0])]


def _questions() -> list[Question]:
    files = sorted(load_bank(Path(shipped_bank())), key=lambda f: f.question.id)
    discussed = (f.question for f in files if f.question.kind is not QuestionKind.CODING)
    return [draw_question(q) for q in discussed]


def _cut(question: Question, count: int) -> Question:
    positive = [s for s in question.signals if s.kind is SignalKind.POSITIVE][:count]
    negative = [s for s in question.signals if s.kind is SignalKind.NEGATIVE][:NEGATIVE]
    changes = {"signals": (*positive, *negative), "relations": (), "samples": ()}
    return question.model_copy(update=changes)


def _mixed(question: Question, count: int) -> Iterator[tuple[str, str]]:
    sentences = [
        sample.text[s.start : s.end] for sample in question.samples for s in segments(sample.text)
    ]
    rng = random.Random(question.id)
    for number in range(count):
        kept = rng.sample(range(len(sentences)), max(3, len(sentences) // 4))
        yield f"mixed-{number}", " ".join(sentences[i] for i in sorted(kept))


def _labels(question: Question, text: str) -> dict[str, Label]:
    guarded = guard(question, Answer.of(text))
    sentences = [
        guarded.masked[s.start : s.end]
        for s in segments(guarded.masked)
        if not any(f.start < s.end and s.start < f.end for f in guarded.flagged)
    ]
    return {s.statement: _label(s, sentences) for s in question.signals}


def _label(signal: Signal, sentences: list[str]) -> Label:
    own = set(content_words(" ".join((signal.statement, *signal.accept))))
    quotes = [q for s in sentences if (q := _quote(s))]
    shared = [len(own & set(content_words(q))) for q in quotes]
    best = max(range(len(quotes)), key=lambda i: shared[i], default=None)
    if best is None or shared[best] < _LEAST_SHARED or signal.kind is SignalKind.NEGATIVE:
        return "not_met", ""
    return ("met" if shared[best] > _LEAST_SHARED else "partial"), quotes[best]


def _quote(sentence: str) -> str:
    """The beginning of a sentence: twelve words, no more than 90 characters."""
    line = " ".join(sentence.splitlines()[0].split(" ")[:_MOST_WORDS])
    return line if len(line) <= _MOST_QUOTE else line[:_MOST_QUOTE].rsplit(" ", 1)[0]
