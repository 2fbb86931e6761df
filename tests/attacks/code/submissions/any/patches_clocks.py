"""Catalogue: 12, 28. Stops every clock of the process and rewrites what it says it used."""
import os
import resource
import time

for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
    setattr(time, name, lambda: 0.0)
    setattr(time, name + "_ns", lambda: 0)
time.sleep = lambda seconds: None
os.times = lambda: os.times_result((0, 0, 0, 0, 0))
resource.getrusage = lambda who: resource.struct_rusage([0] * 16)
