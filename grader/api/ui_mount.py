"""The pages behind the API in one process: mounted last, so that no API address reaches them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import FastAPI

import grader

_STREAMLIT = "streamlit"


def pages_script() -> Path | None:
    """The main script of the pages; None where they, or what they need, are not installed."""
    script = Path(grader.__file__).parent.parent / "ui" / "app.py"
    return script if script.is_file() and find_spec(_STREAMLIT) is not None else None


def mount_pages(app: FastAPI, script: Path) -> None:
    """Puts the pages at ``/``; they start and stop with the application.

    Args:
        app: With all its routes.
        script: Main script of the pages.
    """
    _quieten()
    from streamlit.starlette import App

    pages = App(script)
    inner, outer = pages.lifespan(), app.router.lifespan_context

    @asynccontextmanager
    async def both(started: Any) -> AsyncIterator[Any]:
        async with outer(started) as state, inner(started):
            yield state

    app.router.lifespan_context = both
    app.mount("/", pages)


def _quieten() -> None:
    """Nothing is sent to anybody, and no browser is opened."""
    from streamlit import config

    for name, value in (
        ("browser.gatherUsageStats", False),
        ("server.headless", True),
        ("server.fileWatcherType", "none"),
        ("client.toolbarMode", "minimal"),
        ("client.showErrorDetails", "none"),
    ):
        config.set_option(name, value)
