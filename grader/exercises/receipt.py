"""Signed receipts: proof, for whoever holds the grader's secret, of what was graded and how."""

import hashlib
import hmac
import json

from grader.exercises.result import Receipt
from grader.exercises.seeds import derived_key


def signed(receipt: Receipt, secret: bytes) -> Receipt:
    """The receipt with its signature."""
    return receipt.model_copy(update={"signature": _signature(receipt, secret)})


def is_genuine(receipt: Receipt, secret: bytes) -> bool:
    """Whether the receipt was signed with this secret and not changed since."""
    return hmac.compare_digest(receipt.signature, _signature(receipt, secret))


def _signature(receipt: Receipt, secret: bytes) -> str:
    content = json.dumps(
        receipt.model_dump(mode="json", exclude={"signature"}),
        sort_keys=True,
        separators=(",", ":"),
    )
    key = derived_key(secret, "receipt")
    return "hmac-sha256:" + hmac.new(key, content.encode(), hashlib.sha256).hexdigest()
