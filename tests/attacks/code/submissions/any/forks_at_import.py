"""Catalogue: 2, 25. Forks while it is imported; the child answers in its parent's place."""
import os

try:
    if os.fork() != 0:
        os._exit(0)
except OSError:
    pass
