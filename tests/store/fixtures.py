"""Both databases, so that every test of a contract runs on each."""

import shutil

import pytest

from grader.store.database import Database
from grader.store.migrate import upgrade
from tests.store.cluster import Cluster, programs

BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def cluster():
    if programs() is None:
        pytest.skip("PostgreSQL's server programs are not installed (apt-get install postgresql)")
    running = Cluster()
    yield running
    running.close()


@pytest.fixture(params=BOTH)
def empty_url(request, tmp_path):
    """URL of a database without tables."""
    if request.param == "postgres":
        return request.getfixturevalue("cluster").database()
    return f"sqlite:///{tmp_path / 'grader.db'}"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A file with all tables, copied for each test."""
    path = tmp_path_factory.mktemp("template") / "grader.db"
    database = Database(f"sqlite:///{path}")
    upgrade(database)
    database.fold_log()
    database.close()
    return path


@pytest.fixture
def database(empty_url, sqlite_template):
    """A database with all tables and no rows."""
    if empty_url.startswith("sqlite"):
        shutil.copy(sqlite_template, empty_url.removeprefix("sqlite:///"))
    opened = Database(empty_url)
    if not opened.is_sqlite:
        upgrade(opened)
    yield opened
    opened.close()
