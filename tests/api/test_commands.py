"""Commands of the machine of a deployment: tenants, keys and jobs."""

import re

import pytest

from grader.cli.admin import add_key, add_tenant, keys, migrate, revoke_key, tenants
from grader.cli.jobs import cancel, ls, retry, show
from grader.errors import InputError
from grader.store.errors import ConflictError
from grader.store.keys import read_key
from tests.store import makers


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The data folder of a deployment with its schema."""
    for name in ("GRADER_DATA", "GRADER_DATABASE_URL", "GRADER_SECRET"):
        monkeypatch.delenv(name, raising=False)
    migrate.command(data=tmp_path)
    return tmp_path


@pytest.fixture
def tenant(folder, capsys):
    """Id of its only tenant."""
    add_tenant.command("Acme", plan="standard", data=folder)
    return re.search(r"ten_\w+", capsys.readouterr().out)[0]


@pytest.fixture
def job(folder, tenant):
    """Id of a job that waits."""
    from grader.engine.opening import open_client
    from grader.engine.port import JobOrder
    from grader.settings import Settings

    engine = open_client(Settings.from_environment({"GRADER_DATA": str(folder)}))
    with engine.database.writing() as unit:
        submission = makers.submission(unit.of(tenant))
        made = engine.submit(unit, JobOrder(tenant, submission.id))
    engine.close()
    return made.id


class TestTenants:
    """Who the service is for."""

    def test_a_tenant_comes_with_a_key_that_is_printed_once(self, folder, capsys):
        add_tenant.command("Acme", plan="free", data=folder)
        printed = capsys.readouterr().out
        assert read_key(printed.split()[-1]).test is False
        tenants.command(data=folder)
        listed = capsys.readouterr().out
        assert "Acme" in listed
        assert "grd_" not in listed

    def test_an_unknown_plan_is_named(self, folder):
        with pytest.raises(InputError, match="gold"):
            add_tenant.command("Acme", plan="gold", data=folder)

    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(InputError, match="nowhere"):
            tenants.command(data=tmp_path / "nowhere")


class TestKeys:
    """What opens."""

    def test_a_key_is_made_listed_and_shut(self, folder, tenant, capsys):
        add_key.command("course", scope=["questions:read"], data=folder, test=True)
        made = read_key(capsys.readouterr().out.split()[-1])
        assert made.test is True
        revoke_key.command(made.id, data=folder)
        capsys.readouterr()
        keys.command(data=folder)
        line = next(x for x in capsys.readouterr().out.splitlines() if x.startswith(made.id))
        assert "shut" in line
        assert "questions:read" in line

    def test_an_unknown_scope_is_named(self, folder, tenant):
        with pytest.raises(InputError, match="everything:write"):
            add_key.command("course", scope=["everything:write"], data=folder)

    def test_among_several_tenants_one_must_be_named(self, folder, tenant, capsys):
        add_tenant.command("Other", plan="standard", data=folder)
        with pytest.raises(InputError, match="2 tenants"):
            keys.command(data=folder)
        capsys.readouterr()
        keys.command(data=folder, tenant=tenant)
        assert len(capsys.readouterr().out.splitlines()) == 1


class TestJobs:
    """What runs."""

    def test_a_job_is_listed_shown_ended_and_queued_again(self, folder, job, capsys):
        ls.command(data=folder, status=None, limit=50)
        assert re.match(rf"{job}  queued", capsys.readouterr().out)
        cancel.command(job, data=folder)
        show.command(job, data=folder)
        shown = capsys.readouterr().out
        assert "cancelled" in shown.splitlines()[0]
        assert [line.split()[2] for line in shown.splitlines() if line[:4].strip().isdigit()] == [
            "queued",
            "cancelled",
        ]
        retry.command(job, data=folder)
        assert "queued" in capsys.readouterr().out
        with pytest.raises(ConflictError):
            retry.command(job, data=folder)

    def test_an_unknown_status_is_named(self, folder):
        with pytest.raises(InputError, match="asleep"):
            ls.command(data=folder, status="asleep", limit=50)
