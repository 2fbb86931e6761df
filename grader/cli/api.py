"""``grader api``."""

from typing import Annotated

import typer

from grader.cli.extras import needs_extra
from grader.settings import Settings


def command(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8000,
) -> None:
    """Serve the API alone; jobs run in `grader worker` processes."""
    with needs_extra("serve", "it keeps jobs in a database and answers HTTP"):
        from grader.api.options import ApiOptions
        from grader.api.running import serve_api
    options = ApiOptions.from_environment(host=host, port=port)
    serve_api(Settings.from_environment(), options, say=typer.echo)
