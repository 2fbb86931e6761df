"""Proving an exercise: reference, mutants, many seeds, head-room, nothing for nothing."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grader.exercises.exercise import Exercise
from grader.exercises.kit.mutants import MatrixRow, Mutant, graded, kill_matrix, mutants_of
from grader.exercises.kit.zero_effort import MOST_POINTS, IdleScore, idle_scores
from grader.exercises.lease import Pool
from grader.exercises.result import CheckResult

LEAST_HEAD_ROOM = 3.0

Progress = Callable[[str], None]


@dataclass(frozen=True)
class HeadRoom:
    """How far the reference stays below the limits of one invariant.

    Attributes:
        cpu_s: The most CPU seconds that it took on any seed.
        share_s: CPU seconds that it may take.
        peak_mib: Its highest peak memory.
        memory_mib: Memory that it may take.
    """

    invariant: str
    cpu_s: float
    share_s: float
    peak_mib: float
    memory_mib: int

    @property
    def enough(self) -> bool:
        """Whether an honest answer may be three times as slow; memory is not exceeded."""
        return self.cpu_s * LEAST_HEAD_ROOM <= self.share_s and self.peak_mib < self.memory_mib


@dataclass(frozen=True)
class Flake:
    """A verdict that depends on the seed.

    Attributes:
        submission: ``reference`` or a mutant's name.
        seeds: Of how many seeds the invariant came out wrong.
    """

    submission: str
    invariant: str
    seeds: int


@dataclass(frozen=True)
class Verification:
    """Everything that verify finds."""

    matrix: tuple[MatrixRow, ...]
    flakes: tuple[Flake, ...]
    head_room: tuple[HeadRoom, ...]
    idle: tuple[IdleScore, ...]

    def faults(self) -> list[str]:
        """What an author has to mend; empty if the exercise holds."""
        survivors = [
            f"mutant {row.mutant} survives {', '.join(row.survived)}"
            for row in self.matrix
            if row.survived
        ]
        flakes = [
            f"{f.submission}: {f.invariant} comes out wrong on {f.seeds} seeds" for f in self.flakes
        ]
        tight = [
            f"{room.invariant}: the reference takes {room.cpu_s} of {room.share_s:.2f} CPU s and "
            f"{room.peak_mib} of {room.memory_mib} MiB"
            for room in self.head_room
            if not room.enough
        ]
        idle = [
            f"a submission without work ({s.name}) gets {s.score}, over {MOST_POINTS}"
            for s in self.idle
            if s.too_high
        ]
        return [*survivors, *flakes, *tight, *idle]


def verify(
    exercise: Exercise,
    pool: Pool,
    secret: bytes,
    seeds: int = 20,
    progress: Progress = lambda _: None,
) -> Verification:
    """Runs reference, mutants and submissions without work.

    Args:
        exercise: What is proved.
        pool: Where they run; they are our own code.
        secret: Root of the seeds.
        seeds: How many seeds the reference and each mutant's killers are tried on.
        progress: Told what is done next.

    Raises:
        ExerciseError: The exercise has no mutants, or one names no killer.
    """
    mutants = mutants_of(exercise)
    progress("reference")
    references = [graded(exercise, exercise.reference, pool, s) for s in _secrets(secret, seeds)]
    flakes = _failures("reference", [i.id for i in exercise.suite.invariants], references)
    for mutant in mutants:
        progress(f"mutant {mutant.name}, {seeds} seeds")
        flakes += _survivals(exercise, mutant, pool, _secrets(secret, seeds))
    progress("kill matrix")
    matrix = tuple(kill_matrix(exercise, mutants, pool, secret))
    progress("submissions without work")
    idle = tuple(idle_scores(exercise, pool, secret))
    return Verification(matrix, tuple(flakes), _head_room(exercise, references), idle)


def _secrets(secret: bytes, count: int) -> list[bytes]:
    """Independent secrets, hence independent cases."""
    return [hashlib.sha256(secret + number.to_bytes(4, "big")).digest() for number in range(count)]


def _failures(name: str, ids: Sequence[str], results: Sequence[CheckResult]) -> list[Flake]:
    counts = {i: sum(not _passed(result, i) for result in results) for i in ids}
    return [Flake(name, i, count) for i, count in counts.items() if count]


def _survivals(
    exercise: Exercise, mutant: Mutant, pool: Pool, secrets: Sequence[bytes]
) -> list[Flake]:
    """On how many seeds a named invariant lets the mutant pass; only those are run."""
    named = tuple(i for i in exercise.suite.invariants if i.id in mutant.killers)
    part = replace(exercise, suite=replace(exercise.suite, invariants=named))
    results = [graded(part, mutant.source, pool, secret) for secret in secrets]
    counts = {i.id: sum(_passed(result, i.id) for result in results) for i in named}
    return [Flake(mutant.name, i, count) for i, count in counts.items() if count]


def _passed(result: CheckResult, invariant: str) -> bool:
    return any(item.id == invariant and item.passed for item in result.invariants)


def _head_room(exercise: Exercise, results: Sequence[CheckResult]) -> tuple[HeadRoom, ...]:
    suite = exercise.suite
    rooms = []
    for number, invariant in enumerate(suite.invariants):
        items = [result.invariants[number] for result in results]
        rooms.append(
            HeadRoom(
                invariant.id,
                max(item.cpu_s for item in items),
                suite.share_s(invariant),
                max(item.peak_mib for item in items),
                invariant.memory_mib or suite.memory_mib,
            )
        )
    return tuple(rooms)
