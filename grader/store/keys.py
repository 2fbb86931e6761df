"""API keys: ``grd_live_ID_SECRET_CHECK``, of which only the id and a keyed hash are stored.

The secret has 256 random bits, so that a fast hash is enough; the key of the hash is derived from
the deployment's secret, so that a stolen database opens nothing. The check digits tell a mistyped
key without asking the database.
"""

import hashlib
import hmac
import re
import secrets
import zlib
from dataclasses import dataclass

from grader.errors import InputError

_SHAPE = re.compile(r"grd_(live|test)_([0-9a-z]{8})_([0-9A-Za-z_-]{43})_([0-9a-f]{8})")
_ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


class KeyFormatError(InputError):
    """The text is no API key of ours."""

    def __init__(self) -> None:
        super().__init__("this is no API key", remedy="copy it whole; it begins with grd_")


@dataclass(frozen=True)
class NewKey:
    """A key just made; ``text`` is shown once."""

    id: str
    text: str
    test: bool
    secret_hash: str


@dataclass(frozen=True)
class PresentedKey:
    """The parts of a key that a client showed."""

    id: str
    test: bool
    secret: str

    def opens(self, secret_hash: str, pepper: bytes) -> bool:
        """Whether it is the key whose hash is stored."""
        return hmac.compare_digest(_hash(self.secret, pepper), secret_hash)


def make_key(pepper: bytes, *, test: bool = False) -> NewKey:
    """Makes a key.

    Args:
        pepper: The deployment's secret.
        test: Whether submissions with it always get the offline judge.
    """
    key_id = "".join(secrets.choice(_ID_ALPHABET) for _ in range(8))
    secret = secrets.token_urlsafe(32)
    body = f"grd_{'test' if test else 'live'}_{key_id}_{secret}"
    return NewKey(key_id, f"{body}_{_check(body)}", test, _hash(secret, pepper))


def read_key(text: str) -> PresentedKey:
    """Takes a key apart.

    Raises:
        KeyFormatError: It is none, or it was mistyped.
    """
    match = _SHAPE.fullmatch(text)
    if match is None or _check(text[:-9]) != match[4]:
        raise KeyFormatError
    return PresentedKey(id=match[2], test=match[1] == "test", secret=match[3])


def _check(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _hash(secret: str, pepper: bytes) -> str:
    key = hmac.digest(pepper, b"store:api-key", "sha256")
    return hmac.new(key, secret.encode(), hashlib.sha256).hexdigest()
