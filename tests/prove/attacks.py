"""Every hostile submission against whole suites on both backends: nothing gained, told or left.

``ATTACKS_BACKEND`` and ``ATTACKS_ONLY`` (a part of names) run a part; the verdict is on the whole.
"""

import os
import shutil
from collections import Counter
from pathlib import Path

from grader.exercises.checking import SandboxFaultError
from tests.attacks.code.corpus import Attack, every_one
from tests.attacks.code.room import Room
from tests.prove._kept import BACKENDS, Kept


def main() -> int:
    """Grades what is not graded yet, then prints what came of all of it."""
    attacks = every_one()
    kept = Kept("attacks", [attack.source for attack in attacks])
    for backend in BACKENDS:
        if os.environ.get("ATTACKS_BACKEND", backend) == backend:
            try:
                _run(kept, backend, attacks)
            except SandboxFaultError as error:
                print(f"{backend} cannot be had: {error}")
    return _reported(kept, attacks)


def _run(kept: Kept, backend: str, attacks: list[Attack]) -> None:
    only = os.environ.get("ATTACKS_ONLY", "")
    missing = [a for a in attacks if f"{backend}/{a.id}" not in kept and only in a.id]
    missing.sort(key=lambda attack: attack.slow)  # what takes hours comes last
    if not missing:
        return
    before = _machine()
    with Room(backend) as room:
        for attack in missing:
            graded = room.grade(attack, whole=True)
            faults = graded.faults()
            if room.settled() != room.idle:
                faults.append(f"left {room.settled()} instead of {room.idle}")
            if room.honest(attack.exercise).score != 100:
                faults.append("the next honest submission was not graded right")
            outcomes = Counter(i.outcome.value for i in graded.result.invariants)
            found = {
                "faults": faults,
                "verdict": graded.result.verdict.value,
                "outcomes": dict(outcomes),
                "share": graded.wall_s / graded.bound_s,
            }
            kept.add(f"{backend}/{attack.id}", found)
        after = room.closed()
        left = "nothing" if after == room.before else f"{after} instead of {room.before}"
        kept.add(f"{backend} left", left)
    print(f"{backend}: before {before}, after {_machine()}, left behind: {left}")


def _machine() -> str:
    """Memory and disk of the whole machine, which others may use too."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    return f"{free >> 10} MiB of memory and {shutil.disk_usage('/').free >> 20} MiB of disk free"


def _reported(kept: Kept, attacks: list[Attack]) -> int:
    holds = True
    for backend in BACKENDS:
        mine = {a.id: kept.found.get(f"{backend}/{a.id}") for a in attacks}
        done = {name: found for name, found in mine.items() if found is not None}
        faulty = {name: found["faults"] for name, found in done.items() if found["faults"]}
        verdicts = Counter(found["verdict"] for found in done.values())
        outcomes = sum((Counter(found["outcomes"]) for found in done.values()), Counter())
        share = max((found["share"] for found in done.values()), default=0.0)
        print(f"{backend}: {len(done)} of {len(mine)} graded; verdicts {dict(verdicts)}")
        print(f"  invariants: {dict(outcomes.most_common())}")
        print(f"  longest took {share:.2f} of its bound; left behind: {_left(kept, backend)}")
        for name, faults in faulty.items():
            print(f"  FAULT {name}: {'; '.join(faults)}")
        holds &= len(done) == len(mine) and not faulty and _left(kept, backend) == "nothing"
    return 0 if holds else 1


def _left(kept: Kept, backend: str) -> str:
    return str(kept.found.get(f"{backend} left", "not known"))
