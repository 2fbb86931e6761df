"""``grader admin migrate``."""

from grader.cli.deployment import DataOption, opened_database


def command(data: DataOption = None) -> None:
    """Bring the database's schema up; nothing happens where it is."""
    with opened_database(data) as database:
        kind = "SQLite" if database.is_sqlite else "PostgreSQL"
    print(f"the schema is up to date ({kind})")
