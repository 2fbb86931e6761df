"""``grader grade-batch``."""

import asyncio
import sys
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from grader.bank.draw import draw_question
from grader.bank.load import Bank, load_bank
from grader.bank.version import rubric_version
from grader.cli.batch_input import AnswerRow, BadRow, read_rows
from grader.cli.batch_output import BatchOutput, answer_key
from grader.cli.exits import ExitStatus
from grader.cli.judge_choice import OFFLINE, chosen_judge, demand_configured, llm_judges
from grader.cli.judge_options import JudgeOptions, takes_judge
from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.verdict import Outcome
from grader.errors import QuestionUnknownError
from grader.judges.pipeline import grade_answer
from grader.judges.port import Judge

_WINDOW = 64
_ROUNDS_AHEAD = 8


@takes_judge
def command(
    judge: JudgeOptions,
    rubrics: Annotated[Path, typer.Option(help="Folder of the question bank.")],
    answers: Annotated[Path, typer.Option(help="JSON lines: question_id, answer_id, text.")],
    out: Annotated[Path, typer.Option(help="Predictions, one JSON line a signal.")],
    scores: Annotated[Path | None, typer.Option(help="Scores, one JSON line an answer.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on after a killed run.")] = False,
) -> None:
    """Grade a JSON-lines file of answers. Exit status 2 where a row was bad."""
    bank = load_bank(rubrics)
    versions = {f.question.id: rubric_version(f.question) for f in bank}

    def expected(question_id: str) -> tuple[int, str] | None:
        if question_id not in versions:
            return None
        return len(bank.get(question_id).signals), versions[question_id]

    llm = judge.judge != OFFLINE
    # The run is the output: going on with a file goes on with its budget.
    run = f"batch-{out.resolve()}"
    chosen = chosen_judge(judge.judge, judge, run=run)
    if judge.dry_run:
        _print_dry_run(bank, chosen, answers)
        return
    later = _later() if llm else frozenset()
    output = BatchOutput(out, scores, resume=resume, expected=expected, later=later)
    kept = len(output.done)
    batch = _Batch(bank, chosen, output)
    window = judge.max_concurrency * _ROUNDS_AHEAD if llm else _WINDOW
    try:
        bad = asyncio.run(_grade_all(batch, answers, window))
    finally:
        output.close()
    if llm:
        from grader.cli.llm_summary import print_summary

        print_summary(chosen, batch.open_reasons, run)
        demand_configured(chosen)
    told = f"{len(output.done) - kept} graded, {kept} kept, bad rows left out: {bad}"
    print(f"grader: {told}", file=sys.stderr)
    if bad:
        raise typer.Exit(ExitStatus.BAD_INPUT)


def _later() -> frozenset[str]:
    from grader.judges.llm import LATER

    return LATER


def _print_dry_run(bank: Bank, judge: Judge, answers: Path) -> None:
    from grader.cli.dry_run import print_dry_run

    batch = _Batch(bank, judge, None)
    rows = (
        (draw_question(bank.get(r.question_id), r.draw_seed), Answer.of(r.text, r.source))
        for r in batch.rows(answers)
    )
    print_dry_run(llm_judges(judge), rows)


class _Batch:
    """What one run of the command works with."""

    def __init__(self, bank: Bank, judge: Judge, output: BatchOutput | None) -> None:
        self.bank, self.judge, self.output = bank, judge, output
        self.open_reasons: Counter[str] = Counter()
        self.bad = 0

    def rows(self, answers: Path) -> Iterator[AnswerRow]:
        """The rows still to be graded; bad ones are told and counted."""
        taken: set[bytes] = set()
        for item in read_rows(answers):
            if isinstance(item, BadRow):
                self._tell(item.line, item.message)
                continue
            line, row = item
            key = answer_key(row.question_id, row.answer_id)
            if key in taken:
                self._tell(line, f"answer_id {row.answer_id!r} stands twice for its question")
            elif self._known(line, row):
                taken.add(key)
                if self.output is None or key not in self.output.done:
                    yield row

    def _known(self, line: int, row: AnswerRow) -> bool:
        try:
            self.bank.get(row.question_id)
        except QuestionUnknownError as error:
            self._tell(line, str(error))
            return False
        return True

    def _tell(self, line: int, message: str) -> None:
        self.bad += 1
        print(f"grader: line {line}: {message}", file=sys.stderr)

    async def grade(self, row: AnswerRow) -> Grade:
        """Grades one row."""
        question = self.bank.get(row.question_id)
        given = Answer.of(row.text, row.source)
        return await grade_answer(question, given, self.judge, draw_seed=row.draw_seed)

    def write(self, row: AnswerRow, grade: Grade) -> None:
        """Writes one grade, and counts why signals stayed open."""
        assert self.output is not None
        self.output.write(row.answer_id, grade)
        self.open_reasons.update(
            v.reasons[0] if v.reasons else ""
            for v in grade.verdicts
            if v.outcome is Outcome.CANNOT_ASSESS
        )


async def _grade_all(batch: _Batch, answers: Path, window: int) -> int:
    """Grades with a bounded window in flight and writes in the order of the input."""
    from grader.cli.progress import batch_progress

    waiting: deque[tuple[AnswerRow, asyncio.Task[Grade]]] = deque()
    with batch_progress(answers) as advance:
        for row in batch.rows(answers):
            waiting.append((row, asyncio.create_task(batch.grade(row))))
            # The first requests leave while later answers are still being read.
            await asyncio.sleep(0)
            if len(waiting) >= window:
                await _write_first(batch, waiting)
                advance()
        while waiting:
            await _write_first(batch, waiting)
            advance()
    return batch.bad


async def _write_first(
    batch: _Batch, waiting: deque[tuple[AnswerRow, asyncio.Task[Grade]]]
) -> None:
    row, task = waiting[0]
    batch.write(row, await task)
    waiting.popleft()
