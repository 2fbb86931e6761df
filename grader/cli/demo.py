"""``grader demo``."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.bank.draw import draw_question
from grader.bank.load import load_bank
from grader.cli.judge_choice import OFFLINE, chosen_judge
from grader.domain.answer import Answer, AnswerSource
from grader.domain.question import Question, Sample, SampleQuality
from grader.exports.html_report import GradedAnswer, html_report
from grader.judges.pipeline import grade_answer
from grader.judges.port import Judge
from grader.settings import Settings, shipped_bank

if TYPE_CHECKING:
    from rich.console import Console

_DEMO_QUESTIONS = 3
_CARDS_SHOWN = 3
_DEMO_EXERCISE = "block_manager"
_DEMO_MUTANT = "copy_to_other_holder"


def command(
    out: Annotated[Path, typer.Option(help="Where to write the report.")] = Path(
        "out/demo-report.html"
    ),
) -> None:
    """Grade the shipped sample answers, print cards, and write an HTML report."""
    from rich.console import Console

    from grader.cli.card import print_card, score_line

    console = Console(highlight=False)
    graded = asyncio.run(_grade_samples(chosen_judge(OFFLINE)))
    for item in graded[:_CARDS_SHOWN]:
        console.print(f"\n[bold]{item.name}[/bold] answer")
        print_card(console, item.question, item.answer, item.grade)
    console.print("\n[bold]All answers[/bold]")
    for item in graded:
        console.print(f"{item.question.title} · {item.name}")
        console.print(score_line(item.grade))
    _grade_code(console)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(html_report("Demonstration: sample answers, graded", graded), encoding="utf-8")
    console.print(f"\nReport: {out}")


def _grade_code(console: "Console") -> None:
    """Grades a right and a subtly wrong submission where something can confine them."""
    console.print(f"\n[bold]Code: {_DEMO_EXERCISE}[/bold], a right and a subtly wrong submission")
    try:
        from grader.cli.code_card import print_code_card
        from grader.exercises.checking import SandboxFaultError, check_submission, open_sandbox
        from grader.exercises.exercise import load_exercise
    except ModuleNotFoundError as error:
        console.print(f"left out: {error}; pip install 'interview-grader[sandbox]'")
        return
    folder = shipped_bank() / "coding" / _DEMO_EXERCISE
    secret = Settings.from_environment().secret_bytes()
    try:
        with open_sandbox(load_exercise(folder)) as pool:
            for name in ("reference.py", f"mutants/{_DEMO_MUTANT}.py"):
                source = (folder / name).read_bytes()
                result = check_submission(folder, source, secret=secret, pool=pool)
                print_code_card(console, result)
    except SandboxFaultError as error:
        console.print(f"left out: {error}")


async def _grade_samples(judge: Judge) -> list[GradedAnswer]:
    return [
        await _graded(question, sample, judge)
        for question in _demo_questions()
        for sample in question.samples
    ]


def _demo_questions() -> list[Question]:
    """The first question of each of a few topics that has a full set of samples."""
    chosen: dict[str, Question] = {}
    for file in load_bank(shipped_bank()):
        if {s.quality for s in file.question.samples} >= set(SampleQuality):
            chosen.setdefault(file.question.topic, file.question)
    return list(chosen.values())[:_DEMO_QUESTIONS]


async def _graded(question: Question, sample: Sample, judge: Judge) -> GradedAnswer:
    spoken = sample.quality is SampleQuality.SPOKEN
    answer = Answer.of(sample.text, AnswerSource.SPEECH if spoken else AnswerSource.TYPED)
    grade = await grade_answer(question, answer, judge)
    return GradedAnswer(sample.quality.value, draw_question(question), answer, grade)
