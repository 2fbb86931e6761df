"""Erasing a learner, and keeping retention times, in the database, the blobs and the engine.

The rows go first, in one transaction; then what the engine keeps of the jobs, then the files. A
process that dies in between leaves nothing readable through the API, and running the erasure of
the person's tenant again (`sweep_blobs`) removes files that no row refers to.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from grader.engine.port import Engine
from grader.store.blobs import BlobStore
from grader.store.database import Database
from grader.store.erase import (
    Erased,
    erase_audio,
    erase_person,
    erase_submissions,
    submissions_before,
)
from grader.store.errors import NotFoundError

AUDIO_DAYS, TEXT_DAYS = "audio_days", "text_days"
"""Names of a tenant's settings: whole days; absent means for ever."""
_AT_ONCE = 200


@dataclass(frozen=True)
class Retained:
    """What one look at retention times erased."""

    recordings: int = 0
    submissions: int = 0


def erase_learner(
    engine: Engine, database: Database, blobs: BlobStore, tenant_id: str, user_id: str
) -> Erased:
    """Erases what a learner gave: answers, transcripts, recordings, code, calls, events, messages.

    Scores stay, under a random person.

    Raises:
        NotFoundError: No such person in this tenant.
    """
    with database.writing() as unit:
        erased = erase_person(unit, tenant_id, user_id)
    _finish(engine, database, blobs, tenant_id, erased)
    return erased


def apply_retention(
    engine: Engine, database: Database, blobs: BlobStore, now: datetime
) -> Retained:
    """Erases what has outlived its time at each tenant: recordings first, then texts."""
    recordings = submissions = 0
    with database.reading() as unit:
        tenants = unit.deployment.tenants()
    for tenant in tenants:
        if days := tenant.settings.get(AUDIO_DAYS):
            with database.writing() as unit:
                erased = erase_audio(unit, tenant.id, now - timedelta(days=days))
            _finish(engine, database, blobs, tenant.id, erased)
            recordings += len(erased.blobs)
        if days := tenant.settings.get(TEXT_DAYS):
            before = now - timedelta(days=days)
            submissions += _erase_texts(engine, database, blobs, tenant.id, before)
    return Retained(recordings, submissions)


def sweep_blobs(database: Database, blobs: BlobStore, before: datetime) -> int:
    """Removes files that no row knows: left by an upload or an erasure that was cut off.

    Args:
        database: With the rows.
        blobs: The files.
        before: Files put later are let be: an upload writes the file before its row.

    Returns:
        Number of files removed.
    """
    removed = 0
    for tenant_id, sha256 in blobs.names(before):
        try:
            with database.reading() as unit:
                unit.of(tenant_id).blobs.get(sha256)
        except NotFoundError:
            blobs.delete(tenant_id, sha256)
            removed += 1
    return removed


def _erase_texts(
    engine: Engine, database: Database, blobs: BlobStore, tenant_id: str, before: datetime
) -> int:
    with database.reading() as unit:
        old = submissions_before(unit, tenant_id, before)
    for start in range(0, len(old), _AT_ONCE):
        with database.writing() as unit:
            erased = erase_submissions(unit, tenant_id, old[start : start + _AT_ONCE])
        _finish(engine, database, blobs, tenant_id, erased)
    return len(old)


def _finish(
    engine: Engine, database: Database, blobs: BlobStore, tenant_id: str, erased: Erased
) -> None:
    engine.forget(erased.job_ids)
    for sha256 in erased.blobs:
        blobs.delete(tenant_id, sha256)
    database.fold_log()
