"""Beating and judging others: late beats, false deaths, and the end of one declared dead."""

import pytest

from grader.engine.heartbeat import Heart, Pulse
from grader.engine.port import Sweep
from grader.store.errors import StoreUnavailableError
from tests.store import makers

PULSE = Pulse(beat_s=1.0, ttl_s=5.0)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Rig:
    """A heart whose turns a test takes by hand."""

    def __init__(self, database):
        self.clock = Clock()
        self.sweeps = self.deaths = 0
        makers.executor(database, "me")
        self.heart = Heart(
            database, "me", PULSE, sweep=self.swept, on_dead=self.died, clock=self.clock
        )

    def swept(self):
        self.sweeps += 1
        return Sweep()

    def died(self):
        self.deaths += 1

    def turns(self, number, every_s=1.0):
        for _ in range(number):
            self.clock.now += every_s
            self.heart.turn()


@pytest.fixture
def rig(database):
    return Rig(database)


def test_nobody_is_judged_before_a_whole_time_of_steady_beats(rig):
    rig.turns(4)
    assert rig.sweeps == 0
    rig.turns(3)
    assert rig.sweeps == 3


def test_a_late_beat_starts_the_time_anew(rig):
    rig.turns(6)
    swept = rig.sweeps
    rig.turns(1, every_s=20.0)
    rig.turns(4)
    assert rig.sweeps == swept, "after an outage the others were late, too"
    rig.turns(2)
    assert rig.sweeps > swept


def test_beats_that_the_database_did_not_take_count_as_late(rig, database, monkeypatch):
    rig.turns(6)
    swept = rig.sweeps

    def away():
        raise StoreUnavailableError("away")

    with monkeypatch.context() as broken:
        broken.setattr(database, "writing", away)
        rig.turns(6)
    rig.turns(1)
    assert (rig.sweeps, rig.deaths) == (swept, 0)


def test_one_that_was_declared_dead_ends(rig, database):
    with database.writing() as unit:
        unit.executors.bury("me")
    rig.turns(1)
    assert (rig.deaths, rig.sweeps) == (1, 0)


def test_a_sweep_that_fails_does_not_stop_the_heart(rig):
    def broken():
        raise RuntimeError("no")

    rig.heart._sweep = broken
    rig.turns(8)
    assert rig.deaths == 0
    assert rig.heart.age_s == 0.0


def test_each_silent_executor_is_declared_once(database):
    makers.executor(database, "silent", ttl_s=-1.0)
    makers.executor(database, "loud", ttl_s=60.0)
    with database.writing() as unit:
        assert unit.executors.declare_dead() == ("silent",)
        assert unit.executors.declare_dead() == ()
        assert unit.executors.known() == {"silent": False, "loud": True}
        assert not unit.executors.beat("silent")
        assert unit.executors.beat("loud")


def test_a_pulse_leaves_room_for_missed_beats():
    with pytest.raises(ValueError, match="five times"):
        Pulse(beat_s=3.0, ttl_s=10.0)
