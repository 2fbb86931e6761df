"""The real process: from nothing to a grade, through a kill, and back."""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import urllib.request

import pytest

ANSWER = "Softmax weights must sum to one, so the mass is dumped on the first tokens."
START_S = 120


class Served:
    """A ``grader serve`` process on a folder."""

    def __init__(self, folder):
        self.folder = folder
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GRADER_")} | {
            "PYTHONUNBUFFERED": "1"
        }
        self.log = (folder / "log").open("ab")
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "grader.cli",
                "serve",
                "--data",
                str(folder / "data"),
                "--port",
                "0",
                "--no-ui",
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=environment,
        )
        self.said, self.url = self._started()

    def _started(self):
        said = []
        for line in self.process.stdout:
            said.append(line.decode().strip())
            if said[-1].startswith("listening on "):
                return said, said[-1].removeprefix("listening on ")
        raise AssertionError((self.folder / "log").read_text()[-2000:])

    def call(self, path, body=None, **headers):
        key = (self.folder / "data" / "admin.key").read_text().strip()
        request = urllib.request.Request(
            self.url + path,
            data=json.dumps(body).encode() if body is not None else None,
            headers={
                "Authorization": f"Bearer {key}",
                "Content-Type": "application/json",
                **headers,
            },
        )
        with urllib.request.urlopen(request, timeout=START_S) as reply:
            return reply.status, json.loads(reply.read())

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(START_S)
        self.process.stdout.close()
        self.log.close()
        return self.process.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("serve")


@contextlib.contextmanager
def served(folder):
    running = Served(folder)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.end(signal.SIGKILL)


def test_from_nothing_to_a_grade_and_through_a_kill(folder):
    with served(folder) as first:
        key_file = folder / "data" / "admin.key"
        assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
        assert any(key_file.read_text().strip() in line for line in first.said)
        assert first.call("/readyz")[1]["ready"] is True
        given = {"question_id": "attention-sinks", "text": ANSWER}
        status, graded = first.call("/v1/submissions?wait=60", given)
        assert (status, graded["status"]) == (200, "done")
        path = f"/v1/submissions/{graded['id']}"
        headers = {"Idempotency-Key": "before-the-kill"}
        _, waiting = first.call("/v1/submissions", {**given, "text": "Another answer."}, **headers)
        first.end(signal.SIGKILL)
    with served(folder) as second:
        assert not any("admin key" in line for line in second.said)
        assert second.call(path)[1]["grade"] == graded["grade"]
        _, done = second.call(f"/v1/submissions/{waiting['id']}?wait=60")
        assert done["status"] == "done"
        _, again = second.call("/v1/submissions", {**given, "text": "Another answer."}, **headers)
        assert again["id"] == waiting["id"]
        assert second.end(signal.SIGTERM) == 0
    log = (folder / "log").read_text()
    assert ANSWER not in log
    assert "Another answer" not in log
    assert key_file.read_text().strip() not in log
    for line in log.splitlines():
        json.loads(line)


def test_a_second_process_on_the_same_folder_is_refused(folder):
    with served(folder):
        other = subprocess.run(
            [
                sys.executable, "-m", "grader.cli", "serve",
                "--data", str(folder / "data"), "--port", "0", "--no-ui",
            ],
            capture_output=True, text=True, timeout=START_S, check=False,
        )  # fmt: skip
    assert other.returncode == 3
    assert "another process serves" in other.stderr
