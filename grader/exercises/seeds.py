"""Secret seeds: the same submission always meets the same cases, and nobody can foretell them."""

import hashlib
import hmac
from dataclasses import dataclass

_MIN_SECRET_BYTES = 16


@dataclass(frozen=True)
class SuiteSeed:
    """Root of every random choice made for one submission to one version of an exercise.

    Attributes:
        root: 32 secret bytes.
    """

    root: bytes

    @property
    def commitment(self) -> str:
        """Hash that fixes the seed without showing it."""
        return "sha256:" + hashlib.sha256(b"commitment:" + self.root).hexdigest()

    def child(self, *labels: str) -> int:
        """A 128-bit seed for one purpose; other labels give an independent one."""
        message = "\x1f".join(labels).encode()
        return int.from_bytes(hmac.digest(self.root, message, "sha256")[:16], "big")


def suite_seed(secret: bytes, exercise_version: str, token_digest: bytes) -> SuiteSeed:
    """Seed = HMAC(secret, exercise version, token stream of the submission).

    Raises:
        ValueError: The secret is too short to keep anything hidden.
    """
    key = derived_key(secret, "seed")
    return SuiteSeed(hmac.digest(key, exercise_version.encode() + b"\x00" + token_digest, "sha256"))


def derived_key(secret: bytes, purpose: str) -> bytes:
    """A key for one purpose, so that no two uses of the secret share one.

    Raises:
        ValueError: The secret is too short to keep anything hidden.
    """
    if len(secret) < _MIN_SECRET_BYTES:
        raise ValueError(f"the grader's secret must hold at least {_MIN_SECRET_BYTES} bytes")
    return hmac.digest(secret, b"exercises:" + purpose.encode(), "sha256")
