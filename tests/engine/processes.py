"""Worker processes that tests kill, stop and start again."""

import signal
import subprocess
import sys
from pathlib import Path

from tests.engine.world import READY

ROOT = Path(__file__).parents[2]


class Worker:
    """One process of `tests.engine.world`, ready when it is made."""

    def __init__(self, url, folder, *, mode="worker", beat_s=0.2, ttl_s=1.5, delay_s=0.2):
        self.log = Path(folder) / "workers.log"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.engine.world",
                    *map(str, (url, folder, mode, beat_s, ttl_s, delay_s)),
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=ROOT,
            )
        self.pid = self.process.pid

    def ready(self):
        line = self.process.stdout.readline().strip()
        assert line == READY, self.log.read_text()[-3000:]
        return self

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)

    @property
    def alive(self):
        return self.process.poll() is None
