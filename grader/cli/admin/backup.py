"""``grader admin backup``."""

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.deployment import DataOption, opened_database, settings_of


def command(
    folder: Annotated[Path, typer.Argument(help="New folder to write to.")],
    data: DataOption = None,
) -> None:
    """Write everything of a deployment into a new folder; it may be in use meanwhile.

    The secret is not in it: keep the file `secret` of the data folder, or GRADER_SECRET, apart.
    """
    with opened_database(data) as database:
        from grader.store.backup import back_up
        from grader.store.blobs import open_blobs

        counts = back_up(database, open_blobs(settings_of(data)), folder)
    print(f"{sum(counts.values())} rows and files written to {folder}")
    print("keep the deployment's secret apart: without it no restored key opens")
