"""A backup restored into an empty place gives equal grades, on whichever database."""

import pytest

from grader.store.backup import back_up, restore
from grader.store.blobs import LocalBlobs, store_blob
from grader.store.database import Database
from grader.store.errors import ConflictError, NotFoundError, StoreUnavailableError
from grader.store.records.work import SubmissionKind
from tests.store import makers

OTHER = pytest.mark.parametrize(
    "other", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)


@pytest.fixture
def filled(database, tmp_path):
    """Database, blobs, tenant and ids of a graded answer and a piece of code."""
    blobs = LocalBlobs(tmp_path / "blobs")
    tenant_id = makers.tenant(database)
    executor = makers.executor(database)
    blob = store_blob(
        database, blobs, tenant_id, b"x = 1", media_type="text/x-python", purpose="code"
    )
    with database.writing() as unit:
        store = unit.of(tenant_id)
        graded = makers.job(store, makers.submission(store, labels={"é": [1, None]}))
        makers.submission(store, text=None, kind=SubmissionKind.CODE, code_blob=blob.sha256)
    with database.writing() as unit:
        jobs = unit.of(tenant_id).jobs
        jobs.record(jobs.claim(graded.id, executor), makers.grade())
    return database, blobs, tenant_id, graded.id, blob.sha256


def place(kind, request, tmp_path):
    if kind == "postgres":
        return Database(request.getfixturevalue("cluster").database())
    return Database(f"sqlite:///{tmp_path / 'other.db'}")


@OTHER
def test_a_restored_backup_gives_equal_grades(filled, other, request, tmp_path):
    database, blobs, tenant_id, job_id, digest = filled
    counts = back_up(database, blobs, tmp_path / "backup")
    assert counts["grades"] == 1
    assert counts["blobs"] == 1
    there, files = place(other, request, tmp_path), LocalBlobs(tmp_path / "files")
    assert restore(tmp_path / "backup", there, files) == counts
    with database.reading() as old, there.reading() as new:
        before, after = old.of(tenant_id), new.of(tenant_id)
        assert after.grades.history(job_id) == before.grades.history(job_id)
        assert after.submissions.list() == before.submissions.list()
        assert after.jobs.events(job_id) == before.jobs.events(job_id)
    assert files.get(tenant_id, digest) == b"x = 1"
    there.close()


def test_only_an_empty_place_is_filled(filled, tmp_path):
    database, blobs, *_ = filled
    back_up(database, blobs, tmp_path / "backup")
    with pytest.raises(ConflictError, match="not empty"):
        restore(tmp_path / "backup", database, blobs)
    with pytest.raises(ConflictError, match="not empty"):
        back_up(database, blobs, tmp_path / "backup")


def test_a_backup_that_was_cut_off_or_changed_is_refused(filled, tmp_path):
    database, blobs, *_ = filled
    folder = tmp_path / "backup"
    back_up(database, blobs, folder)
    grades = folder / "grades.jsonl"
    grades.write_text(grades.read_text().replace("66.7", "99.9"))
    empty = Database(f"sqlite:///{tmp_path / 'other.db'}")
    with pytest.raises(StoreUnavailableError, match="was changed"):
        restore(folder, empty, LocalBlobs(tmp_path / "files"))
    (folder / "manifest.json").unlink()
    with pytest.raises(StoreUnavailableError, match="no whole backup"):
        restore(folder, empty, LocalBlobs(tmp_path / "files"))
    with empty.reading() as unit, pytest.raises(NotFoundError):
        unit.deployment.tenant("ten_none")
