"""A deployment of several processes on PostgreSQL."""

import signal
import subprocess
import sys
from urllib.error import HTTPError

import pytest

from grader.api.new_tenants import add_tenant
from grader.engine.opening import migrate
from grader.store.database import Database
from tests.api.processes import running
from tests.store.fixtures import cluster

__all__ = ["cluster"]

SECRET = "a secret that all processes of a deployment share"
GIVEN = {"question_id": "attention-sinks", "text": "Softmax weights must sum to one."}

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def deployment(cluster, tmp_path_factory):
    """Environment of a deployment, its database, and an admin key."""
    url = cluster.database()
    database = Database(url)
    migrate(database)
    _, key = add_tenant(database, "Acme", "standard", SECRET.encode())
    folder = tmp_path_factory.mktemp("scaled")
    environment = {
        "GRADER_DATABASE_URL": url,
        "GRADER_SECRET": SECRET,
        "GRADER_DATA": str(folder / "data"),
    }
    yield database, environment, key, folder
    database.close()


def test_two_apis_and_a_worker_are_one_service(deployment):
    _database, environment, key, folder = deployment
    api = ("api", "--port", "0")
    worker = ("worker", "--pool", "bulk")
    with (
        running(folder, *api, environment=environment) as one,
        running(folder, *api, environment=environment) as two,
    ):
        one.key = two.key = key
        with pytest.raises(HTTPError) as not_ready:
            one.call("/readyz")
        assert not_ready.value.code == 503
        made = one.call("/v1/submissions", GIVEN)[2]
        with running(folder, *worker, ready="running jobs", environment=environment) as working:
            graded = two.call(f"/v1/submissions/{made['id']}?wait=60")[2]
            assert graded["status"] == "done"
            assert two.call("/readyz")[2]["executors"] == {"bulk": 1}
            assert working.end(signal.SIGTERM) == 0
        shows = subprocess.run(
            [sys.executable, "-m", "grader.cli", "jobs", "show", made["id"]],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", **environment},
            check=True,
        )
        assert "done" in shows.stdout


def test_a_quota_holds_over_all_processes(deployment):
    database, environment, key, folder = deployment
    with database.writing() as unit:
        tenant = unit.deployment.tenants()[0]
        unit.of(tenant.id).quotas.define("submissions", capacity=3, per_second=0.001)
    api = ("api", "--port", "0")
    with (
        running(folder, *api, environment=environment) as one,
        running(folder, *api, environment=environment) as two,
    ):
        one.key = two.key = key
        left = [p.call("/v1/submissions", GIVEN)[1]["RateLimit"] for p in (one, two, one)]
        assert left == [f'"submissions";r={n}' for n in (2, 1, 0)]
        for process in (one, two):
            with pytest.raises(HTTPError) as refused:
                process.call("/v1/submissions", GIVEN)
            assert refused.value.code == 429
