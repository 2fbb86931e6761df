"""The chaos proof at a small size; `make prove-chaos` runs the full one."""

import pytest

from tests.engine.chaos import Chaos, Plan

SMALL = Plan(jobs=25, kills=3)

pytestmark = pytest.mark.slow


def run(url, restart=None):
    chaos = Chaos(url, SMALL, restart)
    try:
        outcome = chaos.run()
    finally:
        chaos.close()
    assert outcome.faults == [], outcome.facts


def test_every_job_is_graded_once_on_sqlite():
    run(None)


@pytest.mark.postgres
def test_every_job_is_graded_once_on_postgres(cluster):
    run(cluster.database(), cluster.restart)
