"""Pages of lists that stand in memory, in the order of a name."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TypeVar

from grader.api.problems import ApiError
from grader.errors import ErrorCode

ItemT = TypeVar("ItemT")


def part_of(
    items: Sequence[ItemT], name: Callable[[ItemT], str], cursor: str | None, limit: int
) -> tuple[list[ItemT], str | None]:
    """The items after a cursor, and the cursor of those that follow.

    Raises:
        ApiError: The cursor is none of ours.
    """
    after = _name(cursor) if cursor is not None else ""
    rest = [item for item in items if name(item) > after]
    part = rest[:limit]
    return part, _cursor(name(part[-1])) if len(rest) > limit else None


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _name(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, ValueError) as error:
        raise ApiError(
            ErrorCode.BAD_INPUT,
            "cursor is none of ours",
            remedy="use next_cursor of the page before",
        ) from error
