"""An engine in this process, on each database."""

import shutil

import pytest

from grader.engine.heartbeat import Pulse
from grader.engine.opening import migrate
from grader.engine.parts import LocalJudges, Parts
from grader.store.blobs import LocalBlobs
from grader.store.database import Database
from tests.engine.doubles import Code, Judges, Messenger, Speech
from tests.store import makers
from tests.store.fixtures import cluster, empty_url

__all__ = ["cluster", "empty_url"]


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory):
    """A file with all tables, copied for each test."""
    path = tmp_path_factory.mktemp("engine") / "grader.db"
    database = Database(f"sqlite:///{path}")
    migrate(database)
    database.fold_log()
    database.close()
    return path


@pytest.fixture
def database(empty_url, sqlite_file):
    """A database with all tables, the library's too, and no rows."""
    if empty_url.startswith("sqlite"):
        shutil.copy(sqlite_file, empty_url.removeprefix("sqlite:///"))
    opened = Database(empty_url)
    if not opened.is_sqlite:
        migrate(opened)
    yield opened
    opened.close()


@pytest.fixture
def doubles():
    return Doubles()


class Doubles:
    """What the engine meets in tests instead of the world."""

    def __init__(self):
        self.judges = Judges()
        self.speech = Speech()
        self.code = Code()
        self.messenger = Messenger()


@pytest.fixture
def parts(database, doubles, tmp_path):
    return Parts(
        database=database,
        blobs=LocalBlobs(tmp_path / "blobs"),
        judges=LocalJudges({"llm": doubles.judges}),
        recogniser=doubles.speech,
        code=doubles.code,
        messenger=doubles.messenger,
    )


@pytest.fixture
def start(request, parts):
    """Starts an engine; only one at a time lives in a process."""
    from grader.engine.dbos_adapter.worker import DbosWorkerEngine

    running = []

    def started(pools=None, executor_id="e1", **changes):
        engine = DbosWorkerEngine(
            parts,
            pools,
            executor_id=executor_id,
            pulse=Pulse(0.2, 1.0),
            on_dead=lambda: None,
            **changes,
        )
        running.append(engine)
        return engine

    yield started
    for engine in running:
        engine.close()


@pytest.fixture
def engine(start):
    return start()


@pytest.fixture
def tenant_id(database):
    return makers.tenant(database)
