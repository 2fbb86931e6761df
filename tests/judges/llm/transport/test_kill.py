"""A batch killed at any moment: what the ledger recorded is not asked again."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from bench.mock_llm import MockProcess, Script
from grader.judges.ledger_sqlite import SqliteLedger

CALLS = 40
KILLED_AFTER = (0, 1, 3, 4, 9)
BATCH = f"""
import asyncio, sys
from bench.mock_llm.raw_wire import RawWire
from grader.judges.ledger_sqlite import SqliteLedger
from grader.judges.llm.transport import *
from tests.judges.llm.transport.fakes import ask
async def main():
    endpoint = Endpoint(model="openai/m", api_base=sys.argv[1], price=Price(prompt=1, output=1))
    settings = TransportSettings(endpoints=(endpoint,), concurrency=Concurrency(start=4, most=4))
    transport = Transport(settings, ledger=SqliteLedger(sys.argv[2]), wire=RawWire())
    async def one(number):
        print((await transport.complete(ask(str(number)))).from_ledger, flush=True)
    await asyncio.gather(*(one(number) for number in range({CALLS})))
asyncio.run(main())
"""


def batch(url: str, path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", BATCH, url, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    )


async def test_a_killed_batch_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    with MockProcess(Script(first_token_ms=20)) as server:
        for stop_after in KILLED_AFTER:
            process = batch(server.base_url, path)
            assert process.stdout is not None
            for _ in range(stop_after):
                process.stdout.readline()
            os.kill(process.pid, signal.SIGKILL)
            process.stdout.close()
            process.wait()
        done = len([r for r in await SqliteLedger(path).rows() if r.state == "done"])
        asked = len(server.log())
        process = batch(server.base_url, path)
        out, _ = process.communicate()
        assert process.returncode == 0
        assert out.split().count("True") == done
        assert len(server.log()) - asked == CALLS - done

        requests = [json.dumps(row["body"]) for row in server.log()]
        rows = await SqliteLedger(path).rows()
        assert len(rows) == len(set(requests)) == CALLS
        # Only what was in flight when a kill came may have been asked twice: four at a time.
        assert len(requests) - CALLS <= len(KILLED_AFTER) * 4

        again = batch(server.base_url, path)
        out, _ = again.communicate()
        assert out.split() == ["True"] * CALLS
        assert len(server.log()) == len(requests)
