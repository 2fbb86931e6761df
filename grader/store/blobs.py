"""Recordings and sources: files known by the hash of their content, apart for each tenant.

A file is whole or not there: it is written under another name, flushed to the disk and renamed.
The same content of two tenants is two files, so that erasing one leaves the other.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from grader.errors import InputError
from grader.settings import Settings
from grader.store.database import Database
from grader.store.errors import NotFoundError, StoreUnavailableError
from grader.store.records.operations import Blob

MOST_BYTES = 256 << 20
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TENANT = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BlobStore(Protocol):
    """Keeps bytes by tenant and SHA-256."""

    def put(self, tenant_id: str, data: bytes) -> str:
        """Keeps bytes; returns their SHA-256 in hexadecimal digits."""
        ...

    def get(self, tenant_id: str, sha256: str) -> bytes:
        """The bytes of that hash.

        Raises:
            NotFoundError: None are kept.
            StoreUnavailableError: What is kept no longer has that hash.
        """
        ...

    def delete(self, tenant_id: str, sha256: str) -> None:
        """Removes bytes; nothing happens where none are kept."""
        ...

    def names(self, before: datetime | None = None) -> Iterator[tuple[str, str]]:
        """Tenant and hash of everything kept, or of what was last put before a moment."""
        ...


def open_blobs(settings: Settings) -> BlobStore:
    """The blob store of a deployment."""
    if settings.blob_url:
        return ObjectBlobs.at(settings.blob_url)
    return LocalBlobs(settings.blob_dir)


def store_blob(
    database: Database,
    blobs: BlobStore,
    tenant_id: str,
    data: bytes,
    *,
    media_type: str,
    purpose: str,
) -> Blob:
    """Keeps bytes, then notes them; what is noted is always there.

    Raises:
        InputError: Too large.
    """
    if len(data) > MOST_BYTES:
        raise InputError(
            f"the file has {len(data)} bytes", remedy=f"send at most {MOST_BYTES} bytes"
        )
    digest = blobs.put(tenant_id, data)
    with database.writing() as unit:
        return unit.of(tenant_id).blobs.add(digest, len(data), media_type, purpose)


class LocalBlobs:
    """A folder: ``TENANT/ab/cdef...``.

    Args:
        root: The folder, made where absent.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, tenant_id: str, data: bytes) -> str:
        """Keeps bytes, flushed to the disk before they bear their name."""
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(tenant_id, digest)
        with suppress(FileNotFoundError):
            # It counts as put now, so that nobody takes it for one that was left behind.
            os.utime(path)
            return digest
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{secrets.token_hex(8)}")
        try:
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise StoreUnavailableError(
                f"a file cannot be kept: {error.strerror}", remedy="look at the disk"
            ) from error
        _flush_folder(path.parent)
        return digest

    def get(self, tenant_id: str, sha256: str) -> bytes:
        """The bytes of that hash."""
        try:
            data = self._path(tenant_id, sha256).read_bytes()
        except FileNotFoundError:
            raise NotFoundError("file", sha256) from None
        return _verified(data, sha256)

    def delete(self, tenant_id: str, sha256: str) -> None:
        """Removes bytes."""
        self._path(tenant_id, sha256).unlink(missing_ok=True)

    def names(self, before: datetime | None = None) -> Iterator[tuple[str, str]]:
        """Tenant and hash of everything kept, or of what was last put before a moment."""
        for path in sorted(self._root.glob("*/??/*")):
            digest = path.parent.name + path.name
            if _DIGEST.fullmatch(digest) and _is_older(path, before):
                yield path.parent.parent.name, digest

    def _path(self, tenant_id: str, sha256: str) -> Path:
        _demand_names(tenant_id, sha256)
        return self._root / tenant_id / sha256[:2] / sha256[2:]


class ObjectBlobs:
    """Object storage: ``TENANT/abcdef...``.

    Args:
        store: An object store of obstore.
    """

    def __init__(self, store: Any) -> None:
        self._store = store

    @classmethod
    def at(cls, url: str) -> "ObjectBlobs":
        """The storage at an address, with the provider's usual variables for access."""
        from obstore.store import from_url

        return cls(from_url(url))

    def put(self, tenant_id: str, data: bytes) -> str:
        """Keeps bytes."""
        digest = hashlib.sha256(data).hexdigest()
        self._store.put(_key(tenant_id, digest), data)
        return digest

    def get(self, tenant_id: str, sha256: str) -> bytes:
        """The bytes of that hash."""
        from obstore.exceptions import NotFoundError as AbsentError

        try:
            data = bytes(self._store.get(_key(tenant_id, sha256)).bytes())
        except (AbsentError, FileNotFoundError):
            raise NotFoundError("file", sha256) from None
        return _verified(data, sha256)

    def delete(self, tenant_id: str, sha256: str) -> None:
        """Removes bytes."""
        try:
            self._store.delete(_key(tenant_id, sha256))
        except FileNotFoundError:
            return

    def names(self, before: datetime | None = None) -> Iterator[tuple[str, str]]:
        """Tenant and hash of everything kept, or of what was last put before a moment."""
        for batch in self._store.list():
            for item in batch:
                tenant_id, _, digest = str(item["path"]).rpartition("/")
                wanted = before is None or item["last_modified"] < before
                if wanted and _DIGEST.fullmatch(digest):
                    yield tenant_id, digest


def _key(tenant_id: str, sha256: str) -> str:
    _demand_names(tenant_id, sha256)
    return f"{tenant_id}/{sha256}"


def _demand_names(tenant_id: str, sha256: str) -> None:
    """What becomes part of a path is checked, wherever it came from."""
    if not _TENANT.fullmatch(tenant_id) or not _DIGEST.fullmatch(sha256):
        raise NotFoundError("file", sha256)


def _verified(data: bytes, sha256: str) -> bytes:
    if hashlib.sha256(data).hexdigest() != sha256:
        raise StoreUnavailableError(
            f"the file {sha256} no longer has the content it had", remedy="restore it from a backup"
        )
    return data


def _is_older(path: Path, before: datetime | None) -> bool:
    if before is None:
        return True
    try:
        return path.stat().st_mtime < before.timestamp()
    except FileNotFoundError:
        return False


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
