"""Which files of this package stand inside a sandbox."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent
_PARTS: Final = ("__init__.py", "wire.py", "stream.py", "guest")


def guest_files() -> Iterator[tuple[Path, str]]:
    """The guest's source files, and where each stands below the guest's import path."""
    for name in _PARTS:
        path = PACKAGE / name
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            yield file, f"sandbox/{file.relative_to(PACKAGE)}"


def guest_digest() -> str:
    """Hexadecimal digest of the guest's sources."""
    total = hashlib.sha256()
    for file, place in guest_files():
        total.update(f"{place}\0".encode() + file.read_bytes() + b"\0")
    return total.hexdigest()
