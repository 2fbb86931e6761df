"""Runs every measurement in its own process, one after the other."""

import pkgutil
import subprocess
import sys

import bench


def main() -> int:
    failed = []
    names = (m.name for m in pkgutil.iter_modules(bench.__path__) if not m.ispkg)
    for name in sorted(n for n in names if n != "__main__" and not n.startswith("_")):
        print(f"\n=== {name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return bool(failed)


sys.exit(main())
