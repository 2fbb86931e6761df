"""Whose turn it is to write: requests before jobs, and jobs not never."""

import threading

import pytest

from grader.api.turns import MOST_IN_A_ROW, Turns, open_both
from grader.settings import Settings
from grader.store.migrate import upgrade

WAIT_S = 30


class Crowd:
    """Threads that wait for a turn in a known order, and note when they had it."""

    def __init__(self):
        self.turns = Turns()
        self.had = []
        self.threads = []

    def join_queue(self, name, *, urgent):
        before = self.turns.waiting

        def take():
            with self.turns.taken(urgent=urgent):
                self.had.append(name)

        thread = threading.Thread(target=take)
        thread.start()
        self.threads.append(thread)
        while self.turns.waiting == before:
            thread.join(0.001)

    def finish(self):
        for thread in self.threads:
            thread.join(WAIT_S)
            assert not thread.is_alive()


def test_a_request_goes_before_waiting_jobs():
    crowd = Crowd()
    with crowd.turns.taken(urgent=False):
        crowd.join_queue("job 1", urgent=False)
        crowd.join_queue("job 2", urgent=False)
        crowd.join_queue("request", urgent=True)
    crowd.finish()
    assert crowd.had == ["request", "job 1", "job 2"]


def test_a_job_has_its_turn_after_so_many_requests():
    crowd = Crowd()
    with crowd.turns.taken(urgent=False):
        crowd.join_queue("job", urgent=False)
        for number in range(MOST_IN_A_ROW + 3):
            crowd.join_queue(number, urgent=True)
    crowd.finish()
    assert crowd.had.index("job") == MOST_IN_A_ROW


def test_who_has_the_turn_may_take_it_again():
    turns = Turns()
    with turns.taken(urgent=True), turns.taken(urgent=False):
        assert turns.waiting == 0
    crowd = Crowd()
    crowd.turns = turns
    with turns.taken(urgent=False):
        crowd.join_queue("next", urgent=False)
    crowd.finish()
    assert crowd.had == ["next"]


def test_a_turn_is_given_back_where_something_fails():
    turns = Turns()
    with pytest.raises(ValueError, match="x"), turns.taken(urgent=True):
        raise ValueError("x")
    with turns.taken(urgent=False):
        assert turns.waiting == 0


def test_no_two_threads_have_the_turn_at_once():
    turns, inside, most = Turns(), [], []

    def work(urgent):
        for _ in range(50):
            with turns.taken(urgent=urgent):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work, args=(n % 2 == 0,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert max(most) == 1
    assert len(most) == 300


def test_both_databases_are_the_same_one(tmp_path):
    from dataclasses import replace

    jobs, requests = open_both(replace(Settings.from_environment({}), data_dir=tmp_path))
    upgrade(jobs)
    with requests.writing() as unit:
        tenant = unit.deployment.add_tenant("Acme")
    with jobs.reading() as unit:
        assert unit.deployment.tenant(tenant.id).name == "Acme"
    jobs.close()
    requests.close()
