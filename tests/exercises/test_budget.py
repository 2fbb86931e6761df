from grader.exercises.budget import CLOSING_S, Budget


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_suite_ends_a_quarter_over_its_cpu_limit_plus_twenty_seconds():
    clock = Clock()
    budget = Budget(60, [60], clock)
    assert budget.wall_left_s == 95 - CLOSING_S, "ending what runs must fit before the bound"
    clock.now = 93
    assert not budget.over
    clock.now = 94
    assert budget.over


def test_shares_of_invariants_to_come_cannot_be_spent_on_explaining():
    budget = Budget(10, [4, 6], Clock())
    budget.open_share(4)
    budget.spend(1)
    assert budget.spare_cpu_s == 3
    budget.open_share(6)
    assert budget.spare_cpu_s == 9


def test_an_invariant_that_overruns_leaves_the_others_their_shares():
    budget = Budget(10, [4, 6], Clock())
    budget.open_share(4)
    budget.spend(5)
    assert budget.spare_cpu_s == 0


def test_a_run_never_outlasts_the_suite():
    clock = Clock()
    budget = Budget(20, [20], clock)
    assert budget.wall_for(5) == 20
    assert budget.wall_for(0.1) == 10
    clock.now = 42 - CLOSING_S
    assert budget.wall_for(5) == 3


def test_time_beside_the_suites_ends_with_the_suite():
    clock = Clock()
    budget = Budget(8, [8], clock)
    clock.now = 28 - CLOSING_S
    beside = budget.aside(2)
    assert beside.spare_cpu_s == 2
    assert beside.wall_left_s == 2
    beside.spend(1)
    budget.open_share(8)
    assert budget.spare_cpu_s == 8
