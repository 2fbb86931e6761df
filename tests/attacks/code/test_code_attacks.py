"""Hostile submissions earn nothing, learn nothing, leave nothing, and spoil nothing that follows.

Here each attack meets a few cheap invariants, once under bwrap, and every third one under Docker;
``make prove-attacks`` runs all of them against whole suites on both.
"""

import subprocess
import sys
from collections import Counter

import pytest

from grader.exercises.result import CodeVerdict
from tests.attacks.code.corpus import EXERCISES, HERE, Attack, decoy, every_one, once_each, right

MARKS = {"bwrap": pytest.mark.bwrap, "docker": pytest.mark.docker}
ROOT = HERE.parents[2]
EACH = [pytest.param(name, marks=mark) for name, mark in MARKS.items()]
# Of the catalogue, what no submission can show here: memory of a GPU.
NOT_HERE = {"24"}
CLOSING = """
import sys
from tests.attacks.code.corpus import once_each
from tests.attacks.code.room import Room

with Room(sys.argv[1]) as room:
    room.grade(next(a for a in once_each() if a.name == "memory_bomb"))
    assert room.idle != room.before, "or this could not fail"
    found = room.closed()
    assert found == room.before, found
"""


def cases():
    for number, attack in enumerate(once_each()):
        yield pytest.param("bwrap", attack, id=f"bwrap-{attack.id}", marks=MARKS["bwrap"])
        if number % 3 == 0:
            yield pytest.param("docker", attack, id=f"docker-{attack.id}", marks=MARKS["docker"])


@pytest.mark.slow
@pytest.mark.parametrize(("room", "attack"), list(cases()), indirect=["room"])
def test_an_attack_gains_nothing(room, attack):
    graded = room.grade(attack)
    assert graded.faults() == [], graded.result.model_dump_json(indent=1)
    assert room.settled() == room.idle
    following = room.honest(attack.exercise)
    assert following.verdict is CodeVerdict.CORRECT, following


@pytest.mark.parametrize("room", EACH, indirect=True)
def test_a_closed_room_leaves_its_machine_as_it_was(room):
    """In a process of its own: this one has other rooms."""
    done = subprocess.run(
        [sys.executable, "-c", CLOSING, room.backend], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("room", EACH[:1], indirect=True)
@pytest.mark.parametrize("exercise", EXERCISES)
class TestTheRoomItself:
    """Controls: what the other tests look for would be seen."""

    def test_a_decoy_earns_nothing(self, room, exercise):
        graded = room.grade(Attack("decoy", exercise, decoy(exercise), frozenset(), False, False))
        assert graded.result.verdict is CodeVerdict.WRONG
        assert graded.faults() == []

    def test_a_canary_that_is_printed_is_found(self, room, exercise):
        source = f"print({room.canaries[2]!r})\n".encode() + decoy(exercise)
        graded = room.grade(Attack("tells", exercise, source, frozenset(), False, False))
        assert graded.faults() == [f"leaked {room.canaries[2]}"]

    def test_a_right_solution_would_be_seen(self, room, exercise):
        graded = room.grade(Attack("right", exercise, right(exercise), frozenset(), True, False))
        assert graded.result.verdict is CodeVerdict.CORRECT
        assert graded.faults() == ["verdict correct"]


def test_there_are_at_least_eighty_different_submissions():
    attacks = every_one()
    assert len({attack.source for attack in attacks}) == len(attacks)
    assert len(once_each()) >= 80
    assert min(Counter(attack.exercise for attack in attacks).values()) >= 80


def test_every_item_of_the_catalogue_is_covered():
    covered = frozenset().union(*(attack.items for attack in once_each()))
    demanded = {str(number) for number in range(1, 38)} | {"25b"}
    assert demanded - covered == NOT_HERE
