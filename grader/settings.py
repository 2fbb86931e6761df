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


@dataclass(frozen=True)
class Settings:
    """Where things are kept.

    Attributes:
        data_dir: Folder of everything that is written: secret, ledger, drafts.
        bank_dirs: Folders of question banks, the shipped one by default.
        secret: The deployment's secret as text; empty means the file in the data folder.
    """

    data_dir: Path
    bank_dirs: tuple[Path, ...]
    secret: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> "Settings":
        """Reads ``GRADER_DATA``, ``GRADER_BANK`` (folders, ``:`` between), ``GRADER_SECRET``."""
        env = os.environ if environment is None else environment
        home = Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
        banks = tuple(Path(p) for p in env.get("GRADER_BANK", "").split(os.pathsep) if p)
        return cls(
            data_dir=Path(env.get("GRADER_DATA") or home / "grader"),
            bank_dirs=banks or (shipped_bank(),),
            secret=env.get("GRADER_SECRET", ""),
        )

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
