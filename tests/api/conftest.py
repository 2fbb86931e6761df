"""A service on a fresh database; jobs are queued and not run, unless a test does it."""

import shutil

import pytest

from grader.engine.opening import migrate
from grader.store.database import Database
from tests.api.world import World


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory):
    """A file with all tables, copied for each module."""
    path = tmp_path_factory.mktemp("api") / "grader.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.fold_log()
    database.close()
    return path


@pytest.fixture(scope="module")
def world(sqlite_file, tmp_path_factory):
    """One service for the tests of a module; each test has tenants of its own where it writes."""
    folder = tmp_path_factory.mktemp("world")
    shutil.copy(sqlite_file, folder / "grader.db")
    database = Database(f"sqlite:///{folder / 'grader.db'}")
    made = World(database, folder)
    yield made
    made.service.engine.close()


@pytest.fixture
def tenant(world):
    """A tenant without anything."""
    return world.tenant()


@pytest.fixture(scope="module")
def furnished(world):
    """A tenant with one of everything; for tests that only read."""
    return world.tenant("Furnished").furnish()
