"""No verdict changes: 20 submissions, 50 times each, half of the time on a loaded machine.

The same secret each time, so that a submission always meets the same cases. Backends take turns. In
odd rounds two busy processes a CPU run beside the grader, unless others keep the machine as busy.
"""

import contextlib
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterator

from grader.exercises.checking import SandboxFaultError, open_sandbox
from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.kit.mutants import graded, mutants_of
from grader.exercises.lease import Pool
from tests.prove._kept import BACKENDS, CODING, EXERCISES, Kept

SECRET = b"the secret of this proof"
ROUNDS = 50
SUBMISSIONS = 20


def main() -> int:
    """Grades what is not graded yet, and counts the verdicts of each submission."""
    exercises = {name: load_exercise(CODING / name) for name in EXERCISES}
    chosen = _chosen(exercises)
    kept = Kept("flips", [source for _, source in chosen.values()])
    with contextlib.ExitStack() as stack:
        pools: dict[str, Pool] = {}
        for number in range(ROUNDS):
            backend = BACKENDS[number // 2 % len(BACKENDS)]
            missing = [name for name in chosen if f"{name}/{number}" not in kept]
            if missing and backend not in pools:
                largest = max(exercises.values(), key=lambda e: e.suite.memory_mib)
                try:
                    pools[backend] = stack.enter_context(open_sandbox(largest, backend))
                except SandboxFaultError as error:
                    print(f"{backend} cannot be had: {error}")
                    return 1
            with _load(number % 2 == 1 and bool(missing)) as busy:
                for name in missing:
                    exercise, source = chosen[name]
                    result = graded(exercises[exercise], source, pools[backend], SECRET)
                    passed = [i.id for i in result.invariants if i.passed]
                    verdict = f"{result.verdict.value}: {' '.join(passed)}"
                    found = {"verdict": verdict, "backend": backend, "busy": busy}
                    kept.add(f"{name}/{number}", found)
    return _reported(kept, list(chosen))


def _chosen(exercises: dict[str, Exercise]) -> dict[str, tuple[str, bytes]]:
    """The three references, and wrong solutions from all over the three exercises."""
    chosen = {f"{name}/reference": (name, e.reference) for name, e in exercises.items()}
    wrong = [(name, m) for name, e in exercises.items() for m in mutants_of(e)]
    left = SUBMISSIONS - len(chosen)
    for number in range(left):
        name, mutant = wrong[number * len(wrong) // left]
        chosen[f"{name}/{mutant.name}"] = (name, mutant.source)
    return chosen


@contextlib.contextmanager
def _load(wanted: bool) -> Iterator[str]:
    """Keeps the machine busy; yields who does."""
    cpus = os.cpu_count() or 1
    if not wanted:
        yield "no load of ours"
    elif os.getloadavg()[0] >= 2 * cpus:
        yield "busy with others"
    else:
        burners = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(2 * cpus)]
        for burner in burners:
            burner.start()
        try:
            yield "busy with ours"
        finally:
            for burner in burners:
                burner.kill()
                burner.join()


def _burn() -> None:
    while True:
        pass


def _reported(kept: Kept, names: list[str]) -> int:
    flips = runs = 0
    for name in names:
        mine = [kept.found[f"{name}/{number}"] for number in range(ROUNDS)]
        verdicts = Counter(found["verdict"] for found in mine)
        runs += len(mine)
        flips += len(mine) - max(verdicts.values())
        print(f"{name}: {' | '.join(f'{n} x {v}' for v, n in verdicts.most_common())}")
    by = Counter((found["backend"], found["busy"]) for found in kept.found.values())
    for (backend, busy), count in sorted(by.items()):
        print(f"{count} runs on {backend}, {busy}")
    print(f"{runs} runs, {flips} with another verdict than the submission's usual one")
    return 0 if flips == 0 and runs >= 1000 else 1
