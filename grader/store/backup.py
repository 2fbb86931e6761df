"""Backup and restore: one folder, whole and checked, that either database can be filled from.

A backup is read in one transaction, so that it is of one moment, and holds plain JSON lines, one
file a table, beside the blobs. It holds the service's own tables only: what the engine keeps of
jobs under way is not business truth. Jobs that were open are open after a restore, too, and
`grader.engine.requeueing.requeue_open` queues them again.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, DateTime, Table, func, select
from sqlalchemy.types import TypeDecorator

from grader.store.blobs import BlobStore
from grader.store.database import Database
from grader.store.dialect import at_one_moment
from grader.store.errors import ConflictError, StoreUnavailableError
from grader.store.migrate import current_revision, demand_current, upgrade
from grader.store.tables import metadata

MANIFEST = "manifest.json"
_BLOBS = "blobs"
_ROWS_AT_ONCE = 500
# A process of the old place is none of the new one, and its clock is another.
_LEFT_OUT = {"executors", "turns"}


def back_up(database: Database, blobs: BlobStore, folder: Path) -> dict[str, int]:
    """Writes everything into a new folder.

    Args:
        database: May be in use meanwhile.
        blobs: Its files.
        folder: Must not exist or be empty.

    Returns:
        Number of rows by table, and of files under ``blobs``.

    Raises:
        ConflictError: The folder holds something.
        StoreUnavailableError: The schema is not the one this release knows, or a file is damaged.
    """
    demand_current(database)
    if folder.exists() and any(folder.iterdir()):
        raise ConflictError(f"{str(folder)!r} is not empty", remedy="give a new folder")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    counts: dict[str, int] = {}
    digests: dict[str, str] = {}
    with at_one_moment(database.engine) as connection:
        for table in _tables():
            path = folder / f"{table.name}.jsonl"
            counts[table.name] = _write_table(connection, table, path)
            digests[table.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    counts[_BLOBS] = _copy_blobs(blobs, folder / _BLOBS)
    manifest = {
        "revision": current_revision(database),
        "made_at": datetime.now(UTC).isoformat(),
        "counts": counts,
        "sha256": digests,
    }
    # Written last: a folder without it is a backup that was cut off.
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    return counts


def restore(folder: Path, database: Database, blobs: BlobStore) -> dict[str, int]:
    """Fills an empty database and blob store from a backup.

    Returns:
        Number of rows by table, and of files under ``blobs``.

    Raises:
        ConflictError: The database has tenants already.
        StoreUnavailableError: The folder is no whole backup, or one of another release.
    """
    manifest = _manifest(folder)
    upgrade(database, manifest["revision"])
    counts: dict[str, int] = {}
    for path in sorted((folder / _BLOBS).glob("*/*")):
        blobs.put(path.parent.name, path.read_bytes())
    counts[_BLOBS] = manifest["counts"][_BLOBS]
    with database.writing() as unit:
        connection = unit.session.connection()
        if connection.scalar(select(func.count()).select_from(metadata.tables["tenants"])):
            raise ConflictError("the database is not empty", remedy="restore into a new one")
        for table in _tables():
            counts[table.name] = _read_table(
                connection, table, folder / f"{table.name}.jsonl", manifest["sha256"][table.name]
            )
    upgrade(database)
    return counts


def _tables() -> Iterator[Table]:
    """All tables, those that others refer to first."""
    return (table for table in metadata.sorted_tables if table.name not in _LEFT_OUT)


def _write_table(connection: Connection, table: Table, path: Path) -> int:
    rows = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(
        select(table).order_by(*table.primary_key.columns)
    )
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows.mappings():
            values = {key: _plain(value) for key, value in row.items()}
            file.write(json.dumps(values, ensure_ascii=True) + "\n")
            count += 1
    return count


def _read_table(connection: Connection, table: Table, path: Path, digest: str) -> int:
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise StoreUnavailableError(
            f"{path.name} of the backup was changed", remedy="use another backup"
        )
    moments = [c.name for c in table.columns if _is_moment(c.type)]
    count = 0
    batch: list[dict[str, Any]] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            values = json.loads(line)
            for name in moments:
                values[name] = datetime.fromisoformat(values[name]) if values[name] else None
            batch.append(values)
            count += 1
            if len(batch) == _ROWS_AT_ONCE:
                connection.execute(table.insert(), batch)
                batch = []
    if batch:
        connection.execute(table.insert(), batch)
    return count


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _is_moment(kind: Any) -> bool:
    return isinstance(kind, TypeDecorator) and isinstance(kind.impl_instance, DateTime)


def _copy_blobs(blobs: BlobStore, folder: Path) -> int:
    count = 0
    for tenant_id, sha256 in blobs.names():
        path = folder / tenant_id / sha256
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(blobs.get(tenant_id, sha256))
        count += 1
    return count


def _manifest(folder: Path) -> Mapping[str, Any]:
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise StoreUnavailableError(
            f"{str(folder)!r} holds no whole backup", remedy="give the folder of a finished one"
        ) from None
    manifest: Mapping[str, Any] = json.loads(text)
    return manifest
