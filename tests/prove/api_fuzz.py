"""Requests drawn from the whole document, walks included: no 5xx, no reply off its schema.

At least 5,000 cases over every operation, each with valid and with broken data, then walks in
which requests are made from what earlier replies said.
"""

import logging
import tempfile
from pathlib import Path

import structlog

from grader.engine.opening import migrate
from grader.store.database import Database
from tests.api.drawn import document, draw, walk
from tests.api.world import World

EXAMPLES = 70
WALKS, STEPS = 60, 10
LEAST = 5000


def main():
    """Prints how many cases were sent; a case that fails ends the proof with its request."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/grader.db")
        migrate(database)
        world = World(database, Path(folder), hold_s=0.05)
        tenant = world.tenant().furnish()
        source = document(world.app, tenant.admin)
        drawn = draw(source, EXAMPLES)
        print(f"{drawn} drawn requests over {len(list(source.get_all_operations()))} operations")
        walked = walk(source, WALKS, STEPS, lambda: world.tenant().admin)
        print(f"{walked} requests in {WALKS} walks of up to {STEPS} steps")
        world.service.engine.close()
    print("no 5xx, no reply off its schema" if drawn >= LEAST else "too few cases")
    return 0 if drawn >= LEAST else 1
