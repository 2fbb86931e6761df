"""Graded answers as cases for the offline judge: from the data folder and from the bank.

SAF English (Filighera et al., ACL 2022, MIT) may train shipped coefficients. SciEntsBank and
Beetle (SemEval-2013 task 7, CC BY-SA 3.0) are for measuring only.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.bank.draw import draw_question
from grader.bank.load import load_bank
from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.domain.verdict import Outcome
from grader.judges.port import GuardedAnswer

CHECKOUT = Path(__file__).resolve().parents[1]
DATA = CHECKOUT.parent / "shared" / "data"
BANK = CHECKOUT / "rubrics"
_TRAINING_LIST = Path(__file__).with_name("offline_training.txt")
_FILES = {"saf": "saf_en", "scientsbank": "scientsbank", "beetle": "beetle"}
_BLANK = ("", "no submission", "no answer", "n/a", "none", "-")
_USABLE_REFERENCES = ("BEST", "GOOD")


@dataclass(frozen=True)
class Case:
    """One signal in one answer, graded by a person.

    Attributes:
        label: 1 met, 0 not met, 0.5 partial.
        group: What resampling and splits keep together: the question.
    """

    question: Question
    signal_id: str
    text: str
    label: float
    group: str

    @property
    def guarded(self) -> GuardedAnswer:
        """The answer as it stands, past no guard: these texts were written in good faith."""
        return GuardedAnswer(answer=Answer.of(self.text), masked=Answer.of(self.text).text)


def load_cases(name: str, folder: Path, *, references: bool = True) -> list[Case]:
    """The graded answers of one data set, without blank ones.

    Args:
        name: ``saf``, ``scientsbank`` or ``beetle``.
        folder: Holds ``<file>.dev.jsonl``.
        references: Whether further reference answers (BEST and GOOD; never MINIMAL or KEYWORD)
            stand as accepted phrasings.
    """
    path = folder / f"{_FILES[name]}.dev.jsonl"
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    questions: dict[tuple[str, str], Question] = {}
    cases = []
    for row in rows:
        if row["answer"].strip().strip(".").lower() in _BLANK:
            continue
        key = (row["question_id"], row["rubric_item"])
        if key not in questions:
            questions[key] = _question(row, len(questions), references)
        question = questions[key]
        cases.append(
            Case(question, question.signals[0].id, row["answer"], float(row["label"]), key[0])
        )
    return cases


def _question(row: dict, number: int, references: bool) -> Question:
    pairs = row.get("extra", {}).get("refs", ()) if references else ()
    statement = row["rubric_item"]
    accept = [t for t, grade in pairs if grade in _USABLE_REFERENCES and t != statement]
    signal = {"id": "s", "statement": statement, "weight": 1, "kind": "positive"}
    return Question.model_validate(
        {
            "id": f"{row['dataset']}-{number}",
            "topic": row["dataset"],
            "prompt": row["question"] or "-",
            "signals": [signal | {"accept": list(dict.fromkeys(accept))}],
        }
    )


def bank_questions(folder: Path = BANK) -> list[Question]:
    """The bank's answer questions with their default figures, in order of id."""
    questions = [draw_question(file.question) for file in load_bank(folder)]
    return sorted((q for q in questions if q.samples), key=lambda q: q.id)


def training_questions(questions: Iterable[Question]) -> list[Question]:
    """Those of the list ``bench/offline_training.txt``.

    Raises:
        SystemExit: One of the list is not in the bank.
    """
    lines = _TRAINING_LIST.read_text(encoding="utf-8").splitlines()
    listed = {line.strip() for line in lines if line.strip() and not line.startswith("#")}
    found = [q for q in questions if q.id in listed]
    if missing := sorted(listed - {q.id for q in found}):
        raise SystemExit(f"{_TRAINING_LIST} lists {missing[0]!r}, which the bank lacks")
    return found


PARTIAL = 0.5
_LABELS = {Outcome.MET: 1.0, Outcome.PARTIAL: PARTIAL, Outcome.NOT_MET: 0.0}


def sample_cases(questions: Iterable[Question]) -> Iterator[Case]:
    """Every labelled signal of every sample."""
    for question in questions:
        for sample in question.samples:
            for signal_id, outcome in sample.labels.items():
                yield Case(question, signal_id, sample.text, _LABELS[outcome], question.id)


def reduced(case: Case, *, accepts: bool) -> Case:
    """The same case under a poorer rubric: statements alone, or with accepted phrasings."""
    gone = {"reject": (), "terms": (), "numbers": ()} | ({} if accepts else {"accept": ()})
    signals = tuple(s.model_copy(update=gone) for s in case.question.signals)
    question = case.question.model_copy(update={"signals": signals})
    return Case(question, case.signal_id, case.text, case.label, case.group)
