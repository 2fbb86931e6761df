"""``grader admin restore``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.deployment import DataOption, opened_engine, settings_of
from grader.cli.extras import needs_extra


def command(
    folder: Annotated[Path, typer.Argument(help="Folder of a backup.")],
    data: DataOption = None,
) -> None:
    """Fill an empty deployment from a backup, and queue again what was open."""
    settings = settings_of(data)
    with needs_extra("serve", "it writes the service's database"):
        from grader.engine.opening import migrate
        from grader.engine.requeueing import requeue_open
        from grader.store.backup import restore
        from grader.store.blobs import open_blobs
        from grader.store.database import Database
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    database = Database.of(settings)
    try:
        counts = restore(folder, database, open_blobs(settings))
        migrate(database)
        with opened_engine(data) as engine:
            queued = requeue_open(engine, database)
    finally:
        database.close()
    print(f"{sum(counts.values())} rows and files restored")
    print(f"queued again: {len(queued.job_ids)} jobs, {len(queued.delivery_ids)} webhook messages")
