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


class Templates:
    """Databases made ready once, of which each test gets a copy."""

    def __init__(self, folder, prepare):
        self.folder = folder
        self.prepare = prepare
        self.names = {}

    def copy(self, url, cluster=None):
        """A database like the template, at the URL or beside it."""
        if url.startswith("sqlite"):
            path = self.folder / "grader.db"
            if not path.exists():
                self.make(f"sqlite:///{path}")
            shutil.copy(path, url.removeprefix("sqlite:///"))
            return url
        if cluster not in self.names:
            made = cluster.database()
            self.make(made)
            self.names[cluster] = made.rsplit("/", 1)[1]
        return cluster.database(self.names[cluster])

    def make(self, url):
        database = Database(url)
        self.prepare(database)
        database.fold_log()
        database.close()


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    return Templates(tmp_path_factory.mktemp("template"), upgrade)


@pytest.fixture
def database(empty_url, templates, request):
    """A database with all tables and no rows."""
    cluster = None if empty_url.startswith("sqlite") else request.getfixturevalue("cluster")
    opened = Database(templates.copy(empty_url, cluster))
    yield opened
    opened.close()
