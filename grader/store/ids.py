"""Identifiers: a prefix that says of what, then 128 bits that sort by the time they were made."""

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_BITS, _RANDOM_BITS, _BITS_A_DIGIT = 48, 80, 5
_DIGITS = -(-(_TIME_BITS + _RANDOM_BITS) // _BITS_A_DIGIT)


def new_id(prefix: str) -> str:
    """A fresh identifier, e.g. ``sub_06f3q...``; later ones sort after earlier ones.

    Args:
        prefix: Of what, e.g. ``sub``.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
    digits = []
    for _ in range(_DIGITS):
        value, digit = divmod(value, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return f"{prefix}_{''.join(reversed(digits))}"
