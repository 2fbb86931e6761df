"""What every runner measures of its own process; standard library only, for it runs anywhere."""

import json
import os
import resource
import sys
import time
from pathlib import Path


def start():
    return time.perf_counter(), time.process_time()


def since(begun):
    wall, cpu = begun
    return time.perf_counter() - wall, time.process_time() - cpu


def work():
    """The cases, the base address, the number of requests at once, the mode."""
    path, base_url, at_once, mode = sys.argv[1:5]
    return json.loads(Path(path).read_text(encoding="utf-8")), base_url, int(at_once), mode


def report(imported, graded, right, lost):
    """Prints one JSON line that the bench reads."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {
        "import_s": imported[0], "import_cpu_s": imported[1], "wall_s": graded[0],
        "cpu_s": graded[1], "peak_mib": peak, "right": right, "lost": lost,
    }  # fmt: skip
    print("RESULT " + json.dumps(figures))
    sys.stdout.flush()
    os._exit(0)
