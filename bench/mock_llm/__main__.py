"""``python -m bench.mock_llm``: prints its port, serves until it is terminated."""

import argparse
import asyncio
import importlib
import signal
from pathlib import Path

from bench.mock_llm.reply import VerdictFunction, from_schema
from bench.mock_llm.script import Script
from bench.mock_llm.server import MockServer


def _verdict(name: str) -> VerdictFunction:
    if not name:
        return from_schema
    module, _, function = name.partition(":")
    found: VerdictFunction = getattr(importlib.import_module(module), function)
    return found


async def _serve(script: Script, verdict: VerdictFunction, port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with MockServer(script, verdict, port) as server:
        print(server.base_url.rsplit(":", 1)[1].removesuffix("/v1"), flush=True)
        await stop.wait()


def main() -> None:
    """Parses the arguments and serves."""
    parser = argparse.ArgumentParser(prog="python -m bench.mock_llm", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free port")
    parser.add_argument("--script", type=Path, help="a script as JSON")
    parser.add_argument("--verdict", default="", help="module:function of the verdict function")
    given = parser.parse_args()
    script = Script.from_json(given.script.read_bytes()) if given.script else Script()
    asyncio.run(_serve(script, _verdict(given.verdict), given.port))


if __name__ == "__main__":
    main()
