"""Waiting out a database that is away for a while."""

import asyncio
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from grader.store.errors import StoreUnavailableError

P = ParamSpec("P")
T = TypeVar("T")

FIRST_WAIT_S = 0.2
MOST_WAIT_S = 5.0
TRIES = 24
"""Together about two minutes: longer than a restart, shorter than a person's patience."""

_log = logging.getLogger(__name__)


async def patiently(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a database step in a thread, again and again while the database is away.

    The step must be safe to repeat: one whose commit was cut off may have happened.

    Raises:
        StoreUnavailableError: The database stays away.
    """
    wait = FIRST_WAIT_S
    for _ in range(TRIES - 1):
        try:
            return await asyncio.to_thread(step, *args, **kwargs)
        except StoreUnavailableError as error:
            _log.warning("waiting for the database: %s", error.message)
        await asyncio.sleep(wait)
        wait = min(wait * 2, MOST_WAIT_S)
    return await asyncio.to_thread(step, *args, **kwargs)
