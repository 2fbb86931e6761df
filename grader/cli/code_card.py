"""The card of a graded submission: invariant by invariant, with what fails as code."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from grader.exercises.result import CheckResult, CodeVerdict, InvariantResult
from sandbox.outcome import Outcome

_STYLE = {CodeVerdict.CORRECT: "green", CodeVerdict.PARTIAL: "yellow", CodeVerdict.WRONG: "red"}
_MOST_SHOWN = 3


def print_code_card(console: Console, result: CheckResult) -> None:
    """Prints the result of one submission for a person to read."""
    console.print(
        Panel(Group(*_parts(result)), title=result.exercise, title_align="left", padding=(1, 2))
    )
    _print_counterexamples(console, result)


def _print_counterexamples(console: Console, result: CheckResult) -> None:
    """Prints code below the card and unwrapped, so that it can be copied as it is."""
    failed = [i for i in result.invariants if i.counterexample]
    for item in failed[:_MOST_SHOWN]:
        console.print(f"\n[bold]{item.id} fails here[/bold]\n")
        console.print(item.counterexample, soft_wrap=True, markup=False, style="cyan")
    if len(failed) > _MOST_SHOWN:
        console.print(f"\n{len(failed) - _MOST_SHOWN} more with --json", style="dim")


def _parts(result: CheckResult) -> Iterator[RenderableType]:
    style = _STYLE[result.verdict] if result.assessed else "cyan"
    least = "" if result.assessed else "at least "
    yield Text(f"{result.verdict.value}: {least}{result.score:g} of 100", style=f"bold {style}")
    if not result.assessed:
        yield Text("some invariants could not be judged for a fault of ours", style="cyan")
    if result.invariants:
        yield Text()
        yield _table(result.invariants)
    proved = f"{len(result.proved)} limits proved" if result.proved else "nothing proved"
    yield Text(f"\nran in {result.backend}, {proved}", style="dim")


def _table(invariants: tuple[InvariantResult, ...]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(width=2)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    table.add_column(justify="right", style="dim")
    table.add_column(justify="right", style="dim")
    for item in invariants:
        ours = item.outcome is Outcome.INFRA_ERROR
        mark = (
            Text("?", "cyan") if ours else Text("✓", "green") if item.passed else Text("✗", "red")
        )
        told = "" if item.passed else item.outcome.value.replace("_", " ")
        cost = f"{item.cpu_s:.2f} s", f"{item.peak_mib:.0f} MiB"
        table.add_row(mark, item.id, str(item.weight), told, *cost)
    return table
