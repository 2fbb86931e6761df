"""Writes the draft of a migration: ``python -m grader.store.new_revision 0002 "What it does"``.

The draft is what distinguishes the tables in code from those that the migrations so far make; a
person reads and mends it, above all where data must be carried over.
"""

import sys
import tempfile
from pathlib import Path

from grader.store.database import Database
from grader.store.migrate import draft_revision, upgrade


def main(arguments: list[str]) -> int:
    """Writes one draft."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder) / 'grader.db'}")
        upgrade(database)
        draft_revision(database, *arguments)
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
