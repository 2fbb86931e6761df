"""Every wrong solution is caught by each invariant that it names."""

from grader.exercises.checking import open_sandbox
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.kit.mutants import Mutant, kill_matrix, mutants_of
from tests.prove._kept import CODING, EXERCISES, Kept

SECRET = b"the secret of this proof"


def main() -> int:
    """Grades what is not graded yet; prints the kill matrix of each exercise."""
    loaded = [load_exercise(CODING / name) for name in EXERCISES]
    mutants = {e.id: mutants_of(e) for e in loaded}
    kept = Kept("mutants", [m.source for found in mutants.values() for m in found])
    for exercise in loaded:
        _grade(kept, exercise, mutants[exercise.id])
    return max([_reported(kept, exercise, mutants[exercise.id]) for exercise in loaded])


def _grade(kept: Kept, exercise: Exercise, mutants: list[Mutant]) -> None:
    missing = [m for m in mutants if f"{exercise.id}/{m.name}" not in kept]
    if not missing:
        return
    with open_sandbox(exercise) as pool:
        for row in kill_matrix(exercise, missing, pool, SECRET):
            found = {"killed_by": row.killed_by, "score": row.score, "survived": row.survived}
            kept.add(f"{exercise.id}/{row.mutant}", found)


def _reported(kept: Kept, exercise: Exercise, mutants: list[Mutant]) -> int:
    ids = [invariant.id for invariant in exercise.suite.invariants]
    width = max(len(m.name) for m in mutants)
    print(f"\n{exercise.id}: X named and failed, x failed too, ! named and passed")
    print(" " * width, " ".join(f"{name:>4}" for name in ids))
    faults = 0
    for mutant in mutants:
        found = kept.found[f"{exercise.id}/{mutant.name}"]
        cells = [_cell(name, mutant.killers, found["killed_by"]) for name in ids]
        print(f"{mutant.name:{width}}", " ".join(f"{cell:>4}" for cell in cells))
        faults += len(found["survived"])
    print(f"{len(mutants)} wrong solutions, {faults} named invariants that let one pass")
    return 1 if faults else 0


def _cell(name: str, named: tuple[str, ...], killed_by: list[str]) -> str:
    if name in killed_by:
        return "X" if name in named else "x"
    return "!" if name in named else "."
