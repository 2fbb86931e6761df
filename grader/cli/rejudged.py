"""Answers of a batch file graded by one judge, for commands that grade them more than once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.bank.draw import draw_question
from grader.bank.load import load_bank
from grader.cli.batch_input import BadRow, read_rows
from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.question import Question
from grader.errors import InputError
from grader.judges.pipeline import grade_answer
from grader.judges.port import Judge


@dataclass(frozen=True)
class Asked:
    """A question and an answer to it."""

    question: Question
    answer: Answer


def asked_answers(rubrics: Path, answers: Path, most: int) -> list[Asked]:
    """At most so many answers, spread evenly over the file.

    Raises:
        InputError: A row is bad, or there is none.
    """
    bank = load_bank(rubrics)
    found: list[Asked] = []
    for item in read_rows(answers):
        if isinstance(item, BadRow):
            raise InputError(f"--answers: line {item.line}: {item.message}")
        _, row = item
        question = draw_question(bank.get(row.question_id), row.draw_seed)
        found.append(Asked(question, Answer.of(row.text, row.source)))
    if not found:
        raise InputError(f"--answers: {answers} holds no answer", remedy="give JSON lines")
    step = max(1, len(found) / most)
    return [found[int(i * step)] for i in range(min(most, len(found)))]


def graded(asked: Sequence[Asked], judge: Judge) -> list[Grade]:
    """The grades, in order."""

    async def all_() -> list[Grade]:
        return await asyncio.gather(*(grade_answer(a.question, a.answer, judge) for a in asked))

    return asyncio.run(all_())
