"""``grader admin backup`` and ``restore``: from one folder into another, nothing lost."""

import shutil

from grader.settings import Settings


def deployment(path):
    from grader.engine.opening import migrate
    from grader.store.database import Database

    path.mkdir()
    database = Database.of(Settings(data_dir=path, bank_dirs=()))
    migrate(database)
    with database.writing() as unit:
        tenant = unit.deployment.add_tenant("Acme")
    database.close()
    return tenant


def test_a_deployment_moves_into_an_empty_folder(run, tmp_path):
    tenant = deployment(tmp_path / "old")
    done = run("admin", "backup", "saved", "--data", "old")
    assert done.returncode == 0, done.stderr
    assert b"keep the deployment's secret apart" in done.stdout
    back = run("admin", "restore", "saved", "--data", "new")
    assert back.returncode == 0, back.stderr
    assert b"queued again: 0 jobs" in back.stdout
    listed = run("admin", "tenants", "--data", "new").stdout.decode()
    assert tenant.id in listed
    assert "Acme" in listed


def test_neither_writes_over_anything(run, tmp_path):
    deployment(tmp_path / "old")
    assert run("admin", "backup", "saved", "--data", "old").returncode == 0
    again = run("admin", "backup", "saved", "--data", "old")
    assert again.returncode != 0
    assert b"is not empty" in again.stderr
    into = run("admin", "restore", "saved", "--data", "old")
    assert into.returncode != 0
    assert b"the database is not empty" in into.stderr


def test_a_cut_off_backup_is_refused(run, tmp_path):
    deployment(tmp_path / "old")
    assert run("admin", "backup", "saved", "--data", "old").returncode == 0
    (tmp_path / "saved" / "manifest.json").unlink()
    done = run("admin", "restore", "saved", "--data", "new")
    assert done.returncode != 0
    shutil.rmtree(tmp_path / "new", ignore_errors=True)
