"""The progress bar of long work, on standard error and only for a person at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def batch_progress(answers: Path) -> Iterator[Callable[[], None]]:
    """Gives the function that tells one answer done."""
    console = Console(stderr=True)
    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        total = _line_count(answers) if console.is_terminal else None
        task = progress.add_task("grading", total=total)
        yield lambda: progress.advance(task)


def _line_count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())
