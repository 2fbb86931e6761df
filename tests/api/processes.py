"""Real processes of the command line, as a deployment runs them."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request

START_S = 120


class Process:
    """``grader ...``, ready when it is made.

    Arguments:
        folder: Where its log goes.
        arguments: Of the command line.
        ready: How the line begins by which it says that it is ready.
        environment: Beside that of the tests, from which all of the grader's own is taken out.
    """

    def __init__(self, folder, *arguments, ready="listening on ", environment=None):
        self.log_path = folder / f"{arguments[0]}.log"
        self.log = self.log_path.open("ab")
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GRADER_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", *arguments],
            stdout=subprocess.PIPE,
            stderr=self.log,
            env={**kept, "PYTHONUNBUFFERED": "1", **(environment or {})},
        )
        self.key = None
        self.said = self._until(ready)
        self.url = self.said[-1].split()[-1]

    def _until(self, ready):
        said = []
        for line in self.process.stdout:
            said.append(line.decode().strip())
            if said[-1].startswith(ready):
                return said
        raise AssertionError(self.log_path.read_text()[-2000:])

    def call(self, path, body=None, **headers):
        """Status, headers and content of a reply."""
        request = urllib.request.Request(
            self.url + path,
            data=json.dumps(body).encode() if body is not None else None,
            headers={
                "Authorization": f"Bearer {self.key}",
                "Content-Type": "application/json",
                **headers,
            },
        )
        with urllib.request.urlopen(request, timeout=START_S) as reply:
            return reply.status, reply.headers, json.loads(reply.read())

    def end(self, number=signal.SIGTERM):
        """Sends a signal and waits; returns the exit status."""
        self.process.send_signal(number)
        self.process.wait(START_S)
        self.process.stdout.close()
        self.log.close()
        return self.process.returncode


@contextlib.contextmanager
def running(*args, **kwargs):
    """A process that is killed at the end, whatever happens."""
    made = Process(*args, **kwargs)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.end(signal.SIGKILL)
