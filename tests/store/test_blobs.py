"""Files are whole or absent, apart for each tenant, on disk and in object storage."""

import hashlib
import os
from datetime import timedelta

import pytest

from grader.store.blobs import LocalBlobs, ObjectBlobs, store_blob
from grader.store.database import utc_now
from grader.store.errors import NotFoundError, StoreUnavailableError
from tests.store import makers

DATA = bytes(range(256)) * 8
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture(params=["folder", "object storage"])
def blobs(request, tmp_path):
    if request.param == "folder":
        return LocalBlobs(tmp_path / "blobs")
    from obstore.store import MemoryStore

    return ObjectBlobs(MemoryStore())


def test_bytes_come_back_under_their_hash(blobs):
    assert blobs.put("a", DATA) == DIGEST
    assert blobs.put("a", DATA) == DIGEST
    assert blobs.get("a", DIGEST) == DATA
    assert list(blobs.names()) == [("a", DIGEST)]


def test_what_was_put_lately_is_told_apart(blobs):
    blobs.put("a", DATA)
    now = utc_now()
    assert list(blobs.names(now + timedelta(hours=1))) == [("a", DIGEST)]
    assert list(blobs.names(now - timedelta(hours=1))) == []


def test_a_file_that_is_put_again_counts_as_put_now(tmp_path):
    blobs = LocalBlobs(tmp_path)
    blobs.put("a", DATA)
    (path,) = tmp_path.glob("*/??/*")
    os.utime(path, (0, 0))
    hour_ago = utc_now() - timedelta(hours=1)
    assert list(blobs.names(hour_ago)) == [("a", DIGEST)]
    blobs.put("a", DATA)
    assert list(blobs.names(hour_ago)) == []


def test_tenants_do_not_share_files(blobs):
    blobs.put("a", DATA)
    with pytest.raises(NotFoundError):
        blobs.get("b", DIGEST)
    blobs.put("b", DATA)
    blobs.delete("a", DIGEST)
    blobs.delete("a", DIGEST)
    assert blobs.get("b", DIGEST) == DATA


@pytest.mark.parametrize("tenant", ["..", "", "a/b", "a\x00"])
def test_no_name_leads_out_of_the_folder(blobs, tenant):
    with pytest.raises(NotFoundError):
        blobs.get(tenant, DIGEST)
    with pytest.raises(NotFoundError):
        blobs.get("a", "../" + DIGEST[3:])


def test_a_damaged_file_is_told_from_an_absent_one(tmp_path):
    blobs = LocalBlobs(tmp_path)
    blobs.put("a", DATA)
    (tmp_path / "a" / DIGEST[:2] / DIGEST[2:]).write_bytes(DATA[:-1])
    with pytest.raises(StoreUnavailableError, match="no longer has the content"):
        blobs.get("a", DIGEST)


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grader.store.blobs.os.fsync", full)
    with pytest.raises(StoreUnavailableError, match="No space left"):
        LocalBlobs(tmp_path).put("a", DATA)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_what_is_noted_is_there(database, blobs):
    tenant_id = makers.tenant(database)
    blob = store_blob(database, blobs, tenant_id, DATA, media_type="audio/wav", purpose="audio")
    assert (blob.sha256, blob.size) == (DIGEST, len(DATA))
    assert blobs.get(tenant_id, blob.sha256) == DATA
