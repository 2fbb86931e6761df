"""Exit statuses of every command, and how our own faults are told."""

import os
import sys
import traceback
from enum import IntEnum


class ExitStatus(IntEnum):
    """What a shell sees. Nothing else is ever returned."""

    GRADED = 0
    BAD_INPUT = 2
    FAULT = 3


def report_fault(name: str, error: Exception) -> None:
    """Tells a fault of ours in one line, with the traceback where ``GRADER_DEBUG`` is set."""
    print(f"{name}: our fault, not yours: {type(error).__name__}: {error}", file=sys.stderr)
    if os.environ.get("GRADER_DEBUG"):
        traceback.print_exception(error)
    else:
        print("set GRADER_DEBUG=1 for the traceback", file=sys.stderr)
