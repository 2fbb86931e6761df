"""An engine in this process, on each database."""

import pytest

from grader.engine.heartbeat import Pulse
from grader.engine.opening import migrate
from grader.engine.parts import LocalJudges, Parts
from grader.store.blobs import LocalBlobs
from tests.engine.doubles import Code, Judges, Messenger, Speech
from tests.store import makers
from tests.store.fixtures import Templates, cluster, database, empty_url

__all__ = ["cluster", "database", "empty_url"]


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    """Databases with all tables, the library's too."""
    return Templates(tmp_path_factory.mktemp("engine"), migrate)


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

    def started(pools=None, executor_id="e1", parts=parts, **changes):
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
