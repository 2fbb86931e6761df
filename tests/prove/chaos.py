"""Chaos: 200 mixed jobs, two workers, killed again and again; every job is graded once.

``make prove-chaos`` runs it on SQLite and PostgreSQL, ``prove-chaos-sqlite`` and
``prove-chaos-postgres`` on one of them.
"""

from tests.engine.chaos import Chaos, Plan
from tests.store.cluster import Cluster

FULL = Plan(jobs=200, kills=12)


def main():
    return max(on_sqlite(), on_postgres())


def on_sqlite():
    print("SQLite, two worker processes on one file")
    return reported(Chaos(None, FULL))


def on_postgres():
    print("PostgreSQL, two worker processes, the server killed and restarted midway")
    cluster = Cluster()
    try:
        return reported(Chaos(cluster.database(), FULL, cluster.restart))
    finally:
        cluster.close()


def reported(chaos):
    print(
        "  model calls go through the real transport and ledger to a stand-in provider; "
        "recogniser and sandbox are stand-ins that take time"
    )
    try:
        outcome = chaos.run()
    finally:
        chaos.close()
    for name, found in outcome.facts.items():
        print(f"  {name}: {found}")
    for fault in outcome.faults:
        print(f"  FAULT {fault}")
    return 1 if outcome.faults else 0
