"""Waiting out a database that is away for a while."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar

from grader.store.errors import StoreUnavailableError

T = TypeVar("T")

FIRST_WAIT_S = 0.2
MOST_WAIT_S = 5.0

_log = logging.getLogger(__name__)


async def patiently(step: Callable[..., T], *arguments: object) -> T:
    """Runs a database step in a thread, again and again for as long as the database is away.

    The step must be safe to repeat: one whose commit was cut off may have happened.
    """
    return await patiently_told(lambda _again: step(*arguments))


async def patiently_told(step: Callable[[bool], T]) -> T:
    """Like `patiently`, for a step that wants to know whether it was tried before."""
    wait = FIRST_WAIT_S
    again = False
    while True:
        try:
            return await _finished(step, again)
        except StoreUnavailableError as error:
            _log.warning("waiting for the database: %s", error.message)
        await asyncio.sleep(wait)
        wait = min(wait * 2, MOST_WAIT_S)
        again = True


async def _finished(step: Callable[[bool], T], again: bool) -> T:
    """Runs one try to its end, even where the caller is cancelled meanwhile."""
    task = asyncio.ensure_future(asyncio.to_thread(step, again))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
