"""The card that `grader grade` prints: marks, evidence in place, what to think about next."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.question import Question, SignalKind
from grader.domain.verdict import Outcome, Verdict
from grader.exports.html_report import points_in_words

_MARKS = {
    Outcome.MET: ("✓", "green"),
    Outcome.PARTIAL: ("◐", "yellow"),
    Outcome.NOT_MET: ("✗", "red"),
    Outcome.CANNOT_ASSESS: ("?", "cyan"),
}
_MISCONCEPTION_MARKS = {
    Outcome.MET: ("!", "red"),
    Outcome.PARTIAL: ("!", "yellow"),
    Outcome.NOT_MET: ("·", "dim"),
    Outcome.CANNOT_ASSESS: ("?", "cyan"),
}
_BAR_WIDTH = 30
_MOST_PROBES = 2


def print_card(console: Console, question: Question, answer: Answer, grade: Grade) -> None:
    """Prints one grade for a person to read."""
    console.print(
        Panel(
            Group(*_parts(question, answer, grade)),
            title=question.title or question.id,
            title_align="left",
            padding=(1, 2),
        )
    )


def score_line(grade: Grade) -> Text:
    """The score in words, with a bar: sure points full, open points shaded."""
    sure = round(grade.low / 100 * _BAR_WIDTH)
    open_ = round(grade.high / 100 * _BAR_WIDTH) - sure
    line = Text.assemble(("█" * sure, "green"), ("▒" * open_, "cyan"))
    line.append("░" * (_BAR_WIDTH - sure - open_) + "  ", style="dim")
    provisional = " (provisional)" if grade.provisional else ""
    return line.append(f"{points_in_words(grade)} of 100{provisional}", style="bold")


def _parts(question: Question, answer: Answer, grade: Grade) -> Iterator[RenderableType]:
    yield score_line(grade)
    if grade.flags:
        yield Text("noticed: " + ", ".join(grade.flags), style="magenta")
    yield Text()
    yield _signal_table(question, grade)
    if answer.text.strip():
        yield Text("\nYour answer", style="bold")
        yield Padding(_marked_answer(answer.text, grade), (0, 0, 0, 2))
    if probes := _probes(question, grade):
        yield Text("\nTo think about next", style="bold")
        yield from (Text(f"  → {probe}") for probe in probes)
    judges = sorted({v.judge for v in grade.verdicts if v.judge})
    yield Text(f"\njudged by {', '.join(judges) or 'the guard'}", style="dim")


def _signal_table(question: Question, grade: Grade) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    table.add_column(width=2)
    table.add_column(justify="right")
    table.add_column(ratio=1)
    for number, verdict in enumerate(grade.verdicts, start=1):
        signal = question.signal(verdict.signal_id)
        positive = signal.kind is SignalKind.POSITIVE
        mark, style = (_MARKS if positive else _MISCONCEPTION_MARKS)[verdict.outcome]
        points = f"{'+' if positive else '−'}{signal.weight}"
        told = Text(signal.statement)
        if verdict.evidence:
            told.append(f" [{number}]", style="dim")
        if note := _note(verdict):
            told.append(f"  {note}", style="dim italic")
        table.add_row(Text(mark, style=style), Text(points, style="dim"), told)
    return table


def _note(verdict: Verdict) -> str:
    if verdict.comment:
        return verdict.comment
    if verdict.outcome is Outcome.CANNOT_ASSESS:
        cause = verdict.reasons[0] if verdict.reasons else "no reason given"
        return f"for review: {cause.replace('_', ' ')}"
    return ""


def _marked_answer(text: str, grade: Grade) -> Text:
    """The answer with each evidence span underlined and numbered by its signal."""
    spans = sorted(
        (evidence.start, evidence.end, number)
        for number, verdict in enumerate(grade.verdicts, start=1)
        for evidence in verdict.evidence
    )
    ends: dict[int, list[int]] = {}
    for _, end, number in spans:
        ends.setdefault(end, []).append(number)
    marked, at = Text(), 0
    for end in sorted(ends):
        marked.append(text[at:end])
        marked.append("[" + ",".join(map(str, ends[end])) + "]", style="bold green")
        at = end
    marked.append(text[at:])
    shifts = _shifts(ends)
    for start, end, _ in spans:
        marked.stylize("underline green", _moved(start, shifts), _moved(end - 1, shifts) + 1)
    return marked


def _shifts(ends: dict[int, list[int]]) -> list[tuple[int, int]]:
    return [(end, len(",".join(map(str, numbers))) + 2) for end, numbers in sorted(ends.items())]


def _moved(offset: int, shifts: list[tuple[int, int]]) -> int:
    return offset + sum(width for end, width in shifts if end <= offset)


def _probes(question: Question, grade: Grade) -> list[str]:
    """Follow-ups for the weightiest positive signals that are not fully met."""
    open_signals = [
        question.signal(v.signal_id) for v in grade.verdicts if v.outcome is not Outcome.MET
    ]
    ranked = sorted(open_signals, key=lambda s: -s.weight)
    probes = [s.probe for s in ranked if s.kind is SignalKind.POSITIVE and s.probe]
    return probes[:_MOST_PROBES]
