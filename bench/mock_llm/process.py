"""The server as a process of its own, and its handle for tests and benches."""

import http.client
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from bench.mock_llm.script import Script

_ROOT = Path(__file__).resolve().parents[2]


class MockProcess:
    """Starts ``python -m bench.mock_llm`` and talks to it; a context manager.

    Args:
        script: What the server does; ``load`` changes it later.
        verdict: ``module:function`` of the verdict function; the default one when empty.
    """

    def __init__(self, script: Script | None = None, verdict: str = "") -> None:
        self._script = script or Script()
        self._verdict = verdict
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    @property
    def base_url(self) -> str:
        """Base address for clients, with ``/v1``."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "bench.mock_llm"]
        if self._verdict:
            command += ["--verdict", self._verdict]
        self._process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.load(self._script)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def load(self, script: Script) -> None:
        """Replaces the script; log, cache and counters start anew."""
        self._ask("POST", "/__script", script.to_json())

    def log(self) -> list[dict[str, Any]]:
        """Every request since the script was loaded."""
        rows: list[dict[str, Any]] = self._ask("GET", "/__log")
        return rows

    def stats(self) -> dict[str, Any]:
        """Counts over the log."""
        stats: dict[str, Any] = self._ask("GET", "/__stats")
        return stats

    def _ask(self, method: str, path: str, body: str | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()
