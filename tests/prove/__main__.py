"""Runs one proof and keeps its output, with date and commit, in ``docs/proofs``."""

import datetime
import importlib
import io
import pkgutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import tests.prove

ROOT = Path(__file__).parents[2]


class Tee(io.TextIOBase):
    """Writes to the terminal and keeps a copy."""

    def __init__(self, terminal):
        self.terminal, self.kept = terminal, io.StringIO()

    def write(self, text):
        self.terminal.write(text)
        self.terminal.flush()
        return self.kept.write(text)


def main(arguments):
    names = sorted(m.name for m in pkgutil.iter_modules(tests.prove.__path__) if m.name[0] != "_")
    if len(arguments) != 1 or arguments[0].replace("-", "_") not in names:
        print(f"usage: make prove-NAME with NAME one of: {', '.join(names)}", file=sys.stderr)
        return 2
    name = arguments[0].replace("-", "_")
    tee = Tee(sys.stdout)
    with redirect_stdout(tee):
        print(f"{name} at {commit()}, {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC\n")
        status = importlib.import_module(f"tests.prove.{name}").main()
        print(f"\n{'holds' if status == 0 else 'DOES NOT HOLD'}")
    kept = ROOT / "docs" / "proofs" / f"{name}.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(tee.kept.getvalue(), encoding="utf-8")
    return status


def commit():
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, check=False
    )
    return found.stdout.decode().strip() or "no commit"


sys.exit(main(sys.argv[1:]))
