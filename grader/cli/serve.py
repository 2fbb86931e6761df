"""``grader serve``."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.extras import needs_extra
from grader.settings import Settings


def command(
    data: Annotated[
        Path | None, typer.Option(help="Folder of everything that is kept; GRADER_DATA.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8000,
    ui: Annotated[bool, typer.Option("--ui/--no-ui", help="The pages, too.")] = True,
) -> None:
    """Serve the API, the workers and the pages in one process."""
    settings = Settings.from_environment()
    if data is not None:
        settings = replace(settings, data_dir=data)
    with needs_extra("serve", "it keeps jobs in a database and answers HTTP"):
        from grader.api.options import ApiOptions
        from grader.api.running import serve
    options = ApiOptions.from_environment(host=host, port=port)
    if not options.is_loopback and not options.allowed_hosts:
        _say(
            "reachable from other machines by address only; "
            "list the names of this service in GRADER_ALLOWED_HOSTS"
        )
    serve(settings, options, say=_say, pages=_pages() if ui else None)


def _pages() -> Path | None:
    from grader.api.ui_mount import pages_script

    script = pages_script()
    if script is None:
        _say("this release has no pages; the API is served alone")
    return script


def _say(text: str) -> None:
    typer.echo(text)
