"""Catalogue: 2. Aborts with SIGABRT, asking for a core file first."""
import os
import resource

try:
    resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
except (OSError, ValueError):
    pass


def before_call(args, kwargs):
    os.abort()
