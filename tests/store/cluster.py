"""A PostgreSQL cluster of our own, on loopback, run as an unprivileged user."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

INSTALLED = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
USER = "grader"


def programs():
    """Folder of PostgreSQL's server programs; None where they are not installed."""
    if INSTALLED:
        return INSTALLED[-1].parent
    found = shutil.which("initdb")
    return Path(found).parent if found else None


class Cluster:
    """Starts on creation; `close` stops it and removes its files."""

    def __init__(self):
        self.bin = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="grader-pg-", dir="/tmp"))
        self.data = self.folder / "data"
        self.port = free_port()
        self.account = unprivileged()
        if self.account:
            os.chown(self.folder, self.account.pw_uid, self.account.pw_gid)
        self.run("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()
        self.count = 0

    def start(self):
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
            " -c max_connections=200 -c shared_buffers=64MB -c fsync=off"
        )
        log = self.folder / "log"
        self.run("pg_ctl", "-D", self.data, "-w", "-t", "60", "-l", log, "-o", options, "start")

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "-D", self.data, "-w", "-t", "60", "-m", mode, "stop")

    def restart(self):
        """As after a crash of the server."""
        self.stop()
        self.start()

    def database(self, template="template0"):
        """URL of a new database: an empty one, or a copy of another that nobody uses."""
        self.count += 1
        name = f"d{os.getpid()}_{self.count}"
        where = ("-h", "127.0.0.1", "-p", self.port, "-U", USER)
        self.run("createdb", *where, "-T", template, name)
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{name}"

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program, *arguments):
        account = self.account
        done = subprocess.run(
            [str(self.bin / program), *map(str, arguments)],
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(self.folder)},
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.decode()[-2000:]}")


def unprivileged():
    """Whom to run the server as; None for ourselves, where we are not root."""
    if os.geteuid():
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("root, and no unprivileged account to run PostgreSQL as")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def await_until(holds, timeout_s=60.0, pause_s=0.05):
    """Waits for a condition that no event tells; fails when the time is over."""
    end = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("it did not come about in time")
        time.sleep(pause_s)
