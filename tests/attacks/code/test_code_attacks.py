"""Hostile submissions earn nothing, learn nothing, leave nothing, and spoil nothing that follows.

Here each attack meets a few cheap invariants, once under bwrap, and every third one under Docker;
``make prove-attacks`` runs all of them against whole suites on both.
"""

from collections import Counter

import pytest

from grader.exercises.result import CodeVerdict
from tests.attacks.code.corpus import EXERCISES, Attack, decoy, every_one, once_each, right
from tests.attacks.code.room import Room

MARKS = {"bwrap": pytest.mark.bwrap, "docker": pytest.mark.docker}
# Catalogue items that no submission can show here: 24 and 37 need a GPU and its clock.
NOT_HERE = {"24"}


def cases():
    for number, attack in enumerate(once_each()):
        yield pytest.param("bwrap", attack, id=f"bwrap-{attack.id}", marks=MARKS["bwrap"])
        if number % 3 == 0:
            yield pytest.param("docker", attack, id=f"docker-{attack.id}", marks=MARKS["docker"])


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "attack"), cases())
def test_an_attack_gains_nothing(room, attack):
    graded = room.grade(attack)
    assert graded.faults() == [], graded.result.model_dump_json(indent=1)
    assert room.settled() == room.idle
    following = room.honest(attack.exercise)
    assert following.verdict is CodeVerdict.CORRECT, following


@pytest.mark.parametrize("backend", [pytest.param(n, marks=m) for n, m in MARKS.items()])
def test_a_closed_room_leaves_its_machine_as_it_was(room, backend):
    with Room(backend) as own:
        own.grade(next(a for a in once_each() if a.name == "memory_bomb"))
        assert own.idle.processes + own.idle.containers > 0, "or this could not fail"
        assert own.closed() == own.before


@pytest.mark.parametrize("backend", [pytest.param("bwrap", marks=MARKS["bwrap"])])
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
