"""``grader exercise verify``."""

import sys
from typing import Annotated

import typer

from grader.cli.exercise_choice import exercise_folder
from grader.cli.exits import ExitStatus
from grader.cli.extras import needs_extra
from grader.settings import Settings


def command(
    exercise: Annotated[str, typer.Argument(help="Name of an exercise, or its folder.")],
    seeds: Annotated[int, typer.Option(min=1, help="Seeds that each is tried on.")] = 20,
) -> None:
    """Prove an exercise: kill matrix, flakiness, head-room, submissions without work.

    Reference and mutants are the author's own code and run unconfined.
    """
    with needs_extra("sandbox", "it draws the hidden tests"):
        from grader.exercises.exercise import load_exercise
        from grader.exercises.kit.trusted import TrustedPool
        from grader.exercises.kit.verify import verify
    loaded = load_exercise(exercise_folder(exercise))
    secret = Settings.from_environment().secret_bytes()
    found = verify(loaded, TrustedPool(), secret, seeds, _tell_step)
    ids = [invariant.id for invariant in loaded.suite.invariants]
    width = max(len(row.mutant) for row in found.matrix)
    print(f"{'mutant':<{width}}  {' '.join(ids)}")
    for row in found.matrix:
        cells = (("x" if i in row.killed_by else ".").center(len(i)) for i in ids)
        print(f"{row.mutant:<{width}}  {' '.join(cells)}")
    print("\nreference: most CPU seconds and MiB on any seed, and what is allowed")
    for room in found.head_room:
        limits = f"of {room.share_s:.2f} s, {room.peak_mib:.0f} of {room.memory_mib} MiB"
        print(f"  {room.invariant}: {room.cpu_s:.2f} {limits}")
    print(f"\nsubmissions without work: at most {max(i.score for i in found.idle):g} points")
    faults = found.faults()
    for fault in faults:
        print(f"fault: {fault}")
    print(f"{len(found.matrix)} mutants, {seeds} seeds, {len(faults)} faults")
    if faults:
        raise typer.Exit(ExitStatus.BAD_INPUT)


def _tell_step(step: str) -> None:
    print(f"... {step}", file=sys.stderr)
