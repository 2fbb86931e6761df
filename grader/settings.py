"""The one settings class: what a deployment may set, and the defaults that need nothing."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.errors import InputError

_PACKAGED_BANK = Path(__file__).parent / "_rubrics"
_CHECKOUT_BANK = Path(__file__).parent.parent / "rubrics"
_LEAST_SECRET_BYTES = 16
_SQLITE_SYNC = ("normal", "full")


@dataclass(frozen=True)
class Settings:
    """Where things are kept, and how the service keeps them.

    Attributes:
        data_dir: Folder of everything that is written: secret, ledger, drafts, database, blobs.
        bank_dirs: Folders of question banks, the shipped one by default.
        secret: The deployment's secret as text; empty means the file in the data folder.
        database_url: SQLAlchemy URL of the one database; empty means a SQLite file in the data
            folder.
        blob_url: Object storage of recordings and sources (``s3://...``, ``gs://...``,
            ``az://...``); empty means the folder ``blobs`` of the data folder.
        sqlite_sync: ``normal`` (survives the death of every process) or ``full`` (a power cut,
            too).
    """

    data_dir: Path
    bank_dirs: tuple[Path, ...]
    secret: str = ""
    database_url: str = ""
    blob_url: str = ""
    sqlite_sync: str = "normal"

    def __post_init__(self) -> None:
        if self.sqlite_sync not in _SQLITE_SYNC:
            raise InputError(
                f"GRADER_SQLITE_SYNC is {self.sqlite_sync!r}",
                remedy=f"use one of {', '.join(_SQLITE_SYNC)}",
            )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Reads the variables whose names begin with ``GRADER_``.

        ``GRADER_DATA``, ``GRADER_BANK`` (folders, ``:`` between), ``GRADER_SECRET``,
        ``GRADER_DATABASE_URL``, ``GRADER_BLOB_URL``, ``GRADER_SQLITE_SYNC``.

        Raises:
            InputError: A variable has a value that cannot be used.
        """
        env = os.environ if environment is None else environment
        home = Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
        banks = tuple(Path(p) for p in env.get("GRADER_BANK", "").split(os.pathsep) if p)
        return cls(
            data_dir=Path(env.get("GRADER_DATA") or home / "grader"),
            bank_dirs=banks or (shipped_bank(),),
            secret=env.get("GRADER_SECRET", ""),
            database_url=env.get("GRADER_DATABASE_URL", ""),
            blob_url=env.get("GRADER_BLOB_URL", ""),
            sqlite_sync=env.get("GRADER_SQLITE_SYNC", "") or "normal",
        )

    @property
    def database(self) -> str:
        """URL of the database, the default filled in."""
        return self.database_url or f"sqlite:///{(self.data_dir / 'grader.db').absolute()}"

    @property
    def blob_dir(self) -> Path:
        """Folder of the blobs where no object storage is set."""
        return self.data_dir / "blobs"

    def secret_bytes(self) -> bytes:
        """The deployment's secret, made once with mode 0600 where none is set.

        Raises:
            InputError: The secret is too short to be one.
        """
        text = self.secret or _kept_secret(self.data_dir / "secret")
        if len(text.encode()) < _LEAST_SECRET_BYTES:
            raise InputError(
                f"GRADER_SECRET has {len(text.encode())} bytes",
                remedy=f"use at least {_LEAST_SECRET_BYTES} random bytes",
            )
        return text.encode()


def shipped_bank() -> Path:
    """The bank that comes with the package, or with the checkout it is installed from."""
    return _PACKAGED_BANK if _PACKAGED_BANK.is_dir() else _CHECKOUT_BANK


def _kept_secret(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32))
    try:
        # A link fails where the name exists: of two first starts one secret wins for both.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii").strip()
