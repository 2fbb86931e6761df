"""At least 100,000 mutated frames: protocol errors only, bounded memory, no hang."""

import resource
import time
from collections import Counter

from tests.sandbox.hostile import Tally, run_trials

FRAMES = 120_000
BATCH = 5_000
MEMORY_MIB = 256
SLOWEST_S = 5.0


def main() -> int:
    """Runs the trials and judges the tally."""
    tally = Tally(Counter())
    started, cpu = time.monotonic(), time.process_time()
    for batch in range(FRAMES // BATCH):
        run_trials(BATCH, seed=1000 + batch, tally=tally)
        print(f"{(batch + 1) * BATCH} frames, {dict(tally.counts)}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"frames {sum(tally.counts.values())}: {dict(tally.counts)}")
    print(f"faults {len(tally.faults)}: {tally.faults[:5]}")
    print(f"peak memory of this process {peak:.0f} MiB (bound {MEMORY_MIB})")
    print(f"slowest exchange {tally.slowest_s:.3f} s (bound {SLOWEST_S})")
    print(f"{time.monotonic() - started:.0f} s wall, {time.process_time() - cpu:.0f} s CPU")
    holds = not tally.faults and peak <= MEMORY_MIB and tally.slowest_s <= SLOWEST_S
    print("holds" if holds else "DOES NOT HOLD")
    return 0 if holds else 1
